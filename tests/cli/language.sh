# A log whose words are mostly not English gets a note wherever WordNet decides something.
log() { # NAME TEXT...
    printf 'AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n' >"$1.tsv"
    for user in 1 2 3 4 5 6; do
        grep -v '^#' | while IFS= read -r text; do printf '%s\t%s\t2006-03-01 10:00:00\t\t\n' "$user" "$text"; done <"$1.txt" >>"$1.tsv"
    done
}
cat >german.txt <<'EOF'
günstige flüge nach mallorca
wie wird das wetter morgen
rezept für apfelkuchen mit streuseln
gebrauchte autos kaufen
fahrplan der bahn nach münchen
wohnung mieten in berlin
EOF
cat >spanish.txt <<'EOF'
vuelos baratos a madrid
receta de tortilla de patatas
coches de segunda mano
dolor de rodilla al correr
pisos de alquiler en sevilla
como hacer pan en casa
EOF
cat >chinese.txt <<'EOF'
北京 天气 预报
便宜 机票 上海
苹果 手机 价格
如何 做 面包
附近 的 医院
EOF
cat >english.txt <<'EOF'
cheap flights to chicago
what is the weather tomorrow
apple pie recipe with cream
used cars for sale
train timetable sunday
apartments for rent
EOF
for language in german spanish chinese english; do
    log $language
    echo "--- $language"
    for command in 'threshold -t 2' 'microagg -k 2' 'clump -k 2' 'split --by interest' 'scrub'; do
        rm -rf out
        echo "$command: $(lethe $command $language.tsv --seed 1 -o out 2>&1 >/dev/null | grep -c 'are not English')"
    done
    echo "profile: $(lethe profile $language.tsv 2>&1 >/dev/null | grep -c 'are not English')"
done
lethe threshold -t 2 german.tsv --threads 1 --seed 1 -o one 2>&1 >/dev/null | grep English >first
lethe threshold -t 2 german.tsv --threads 7 --seed 1 -o two 2>&1 >/dev/null | grep English | cmp - first && cat first
echo "--- words do not count: nothing to note"
lethe threshold -t 2 --same exact german.tsv --seed 1 -o three 2>&1 >/dev/null | grep -c English
lethe synth --users 50 --seed 1 -o synthetic.tsv >/dev/null 2>&1
lethe profile synthetic.tsv 2>&1 >/dev/null | grep -c 'are not English'
true
