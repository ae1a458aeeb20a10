# SPDX-License-Identifier: Apache-2.0
# fish takes the completion made for it.
. "$HERE/common.bash"
command -v fish >/dev/null || skip "there is no fish"
export HOME=$TMPDIR XDG_CONFIG_HOME=$TMPDIR XDG_DATA_HOME=$TMPDIR
lethe help --completion fish >lethe.fish
run fish -n lethe.fish
try() { fish --no-config -c "source lethe.fish; complete -C '$1'" | cut -f 1; }
[ "$(try 'lethe ' | sort)" = "$(lethe help --list | sort)" ] && echo commands
try 'lethe thr'
try 'lethe threshold x --same '
try 'lethe scrub x --then sp'
try 'lethe scrub x --then split --by '
try 'lethe verify --resu'
