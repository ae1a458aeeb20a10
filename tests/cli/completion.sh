# SPDX-License-Identifier: Apache-2.0
# Completion knows every command and every option, for each shell; bash is tried out.
. "$HERE/common.bash"
for shell in bash zsh fish; do
    lethe help --completion $shell >$shell || echo "no completion for $shell"
done
run lethe help --completion tcsh
bash -n bash && . ./bash && complete -p lethe

# complete WORD...: what is offered for the last one.
complete_words() {
    COMP_WORDS=(lethe "$@") COMP_CWORD=$#
    COMPREPLY=()
    _lethe
    echo "${COMPREPLY[*]}"
}
# options COMMAND: as its help lists them, the short form too.
options() {
    lethe "$1" --help | sed -n -e 's/^  \(-[a-z]\)\(,.*\| .*\)\{0,1\}$/\1/p' -e 's/^  \(-[a-z], \)\{0,1\}\(--[a-z][a-z0-9-]*\).*/\2/p'
}
[ "$(complete_words '')" = "$(lethe help --list | tr '\n' ' ' | sed 's/ $//')" ] || echo "bash does not know all commands"
n=0
for command in $(lethe help --list); do
    grep -q "^        '$command:" zsh || echo "zsh does not know $command"
    grep -q "^complete -c lethe -n __lethe_wants_command -a $command -d '" fish || echo "fish does not know $command"
    sed -n "/^    $command)\$/,/^        ;;/p" zsh >zsh.part
    grep -e "-n '__lethe_in $command'" fish >fish.part
    offered=" $(complete_words $command -) "
    for option in $(options $command); do
        n=$((n + 1))
        name=${option#-}
        name=${name#-}
        # where there is a long form, bash offers that
        case $option in
        --*) fish="-l $name " zsh="[*,]$option[]['}[]" ;;
        *) fish="-s $name " zsh="[*{]$option[],[]" ;;
        esac
        case "$offered$option" in
        *" $option "*) ;;
        *-[oqvh]) ;;
        *) echo "bash does not offer $command $option" ;;
        esac
        grep -q -e "$zsh" zsh.part || echo "zsh does not offer $command $option"
        grep -q -e " $fish" fish.part || echo "fish does not offer $command $option"
    done
done
[ "$n" -gt 400 ] && echo "all options" || echo "only $n options"

echo "--- tried out"
complete_words thr
complete_words verify --resu
complete_words threshold log.tsv --by ''
complete_words threshold log.tsv --then sp
complete_words scrub log.tsv --then split --by ''
complete_words scrub log.tsv --then split --over
complete_words help --completion ''
: >file.tsv
complete_words profile fi
complete_words clump log.tsv --taxonomy wordnet:
complete_words clump log.tsv --taxonomy fi
