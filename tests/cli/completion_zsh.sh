# SPDX-License-Identifier: Apache-2.0
# zsh takes the completion made for it.
. "$HERE/common.bash"
command -v zsh >/dev/null || skip "there is no zsh"
lethe help --completion zsh >_lethe
run zsh -n _lethe
# With the functions that complete put by a list of what they are given.
cat >try <<'TRY'
_describe() { print -l $commands | grep -c : }
_arguments() { print -l "$@" | grep -c '^\*-' }
_try() { words=("$@") CURRENT=$#; source ./_lethe }
_try lethe '' >/dev/null; [[ $(_try lethe '') == $(lethe help --list | wc -l) ]] && echo commands
[[ $(_try lethe threshold -) -gt 10 ]] && echo options
[[ $(_try lethe scrub x --then '') == $(lethe help --list | wc -l) ]] && echo "commands after --then"
TRY
run zsh -f try
