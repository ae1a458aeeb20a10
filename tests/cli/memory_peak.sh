# SPDX-License-Identifier: Apache-2.0
# What work says that it needs is about what it takes, at two sizes, with just that much allowed.
. "$HERE/common.bash"
! grep -qa -e __asan_init -e __tsan_init "$(command -v lethe)" || skip 'a sanitizer takes memory of its own'
unset MALLOC_PERTURB_ # which touches what nobody else would
python3 - <<'END'
import random
random.seed(1)
tree = [f"i{i}\tg{i // 10}" for i in range(1000)] + [f"g{i}\tall" for i in range(100)]
open("tree", "w").write("\n".join(tree) + "\n")
weights = [(1 + i) ** -0.7 for i in range(1000)]
for name, n in (("little", 8000), ("small", 40000), ("large", 120000)):
    items = iter(random.choices(range(1000), weights, k=4 * n))
    with open(name + ".dat", "w") as f:
        for _ in range(n):
            f.write(" ".join(f"i{x}" for x in {next(items), next(items), next(items), next(items)}) + "\n")
    with open(name + ".csv", "w") as f:
        f.write("age,zip,sex,ill,note\n")
        f.writelines(f"{i * 7 % 90},{i * 11 % 97},{i % 2},{i % 7},{'x' * 90}{i}\n" for i in range(n))
    with open(name + ".tsv", "w") as f:
        f.writelines(f"{i % (n // 50)}\tw{i * 977 % n} x{i * 31 % n}\t2006-03-{1 + i % 28:02} 07:00:00\t1\thttp://s{i * 61 % n}.org/\n"
                     for k in range(2) for i in range(k, n + k))
END
# Users of one query each, of words that WordNet has: there is more to hold of users than of their texts.
python3 - >single.tsv <<'END'
import random
random.seed(3)
words = "car dog cat house wine river city bank doctor music guitar movie book school apple bread flight hotel rain tree".split()
for i in range(50000): print(i, " ".join(random.choices(words, k=3)), "2006-03-01 07:00:00", 1, f"http://s{i}.org/", sep="\t")
END
# Long records, as those of a log are: nearly every pair of items is rare.
python3 - >long.dat <<'END'
import random
random.seed(2)
for _ in range(3000): print(*random.sample(range(3000), 40))
END
# A program of its own: the memory of whoever starts another counts as the other's.
cat >judge.py <<'END'
import os, re, shlex, sys


def run(command, memory):
    out, err = (os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for name in ("out", "err"))
    pid = os.posix_spawnp("lethe", ["lethe", *shlex.split(command), "-v", "--memory", memory], os.environ,
                          file_actions=[(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, err, 2)])
    _, status, usage = os.wait4(pid, 0)
    os.close(out), os.close(err)
    said = open("err", errors="replace").read()
    need = re.search(r"needs about ([0-9]+) MiB of memory .*\(limit", said)
    if status >> 8 > 1 or not need:
        sys.exit(f"{command} --memory {memory}: status {status >> 8}\n{said[-300:]}")
    return int(need[1]), usage.ru_maxrss / 1024


command = sys.argv[1]
need, peak = run(command, "2G")
if ".tsv" in command: # with just that much, so that sorting takes no more than its share
    need, peak = run(command, f"{max(need, 64)}M")
if os.environ.get("LETHE_SHOW_NEED"): os.write(9, f"{need:4} {peak:4.0f} {need / peak:5.2f} {command}\n".encode())
least, most = (0.8, 1.5) if max(need, peak) > 64 else (0.7, 1.9)
if not least <= need / peak <= most and max(need, peak) > 30:
    print(f"{command}: needs {need} MiB, took {peak:.0f} MiB")
END
judge() { python3 judge.py "$*"; }
for size in small large; do
    records="$size.dat --from records --persons record"
    for method in partition 'clump --refine 0' 'og -m 2' 'mog -m 2' 'aa -m 2'; do
        judge "$method -k 5 $records --taxonomy tree --force -o rel"
    done
    judge "mm -k 5 -p 2 $records --force -o mm"
    judge "measure rel --original $size.dat --taxonomy tree"
    judge "attack rel --original $size.dat --taxonomy tree"
    for method in lplus incognito anneal local; do
        judge "$method $size.csv --qi age,sex -k 5 --keep zip,ill,note --force -o rel"
    done
    judge "profile $size.csv --from table"
    judge "profile $size.dat --from records"
    judge "check $size.csv --qi age,sex -k 2"
    judge "hierarchy $size.csv note --force -o h"
    judge "microagg $size.tsv -k 5 --force -o rel"
    judge "disconnect $size.tsv --keep-vulnerable --force -o rel"
done
for cluster in similarity random; do judge "microagg single.tsv --cluster $cluster -k 5 --min-users 1 --force -o rel"; done
judge "microagg single.tsv --cluster random -k 25000 --min-users 1 --force -o rel"
# Columns of many values: which rows have which of them is more than the table.
python3 - >values.csv <<'END'
import random
random.seed(4)
print("a,b,c,d")
for _ in range(30000): print(*(random.randrange(1000) for _ in range(4)), sep=",")
END
judge "local values.csv --qi a,b,c,d -k 5 --force -o rel"
judge "mm -k 5 -p 2 long.dat --from records --persons record --force -o mm"
for size in little small; do
    records="$size.dat --from records --persons record --taxonomy tree"
    judge "clump -k 5 --refine 1 $records --force -o rel"
    judge "ssg -k 5 --epsilon 2 --refine 0 $records --force -o rel"
done
