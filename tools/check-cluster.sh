#!/usr/bin/env bash
# The checks of `make check-cluster`: fits on a real scheduler and from a real database server, both started here on this
# machine and stopped at the end. Needs root and Debian's slurm-wlm, munge and postgresql; all it makes is in a temporary
# folder, which other users (PostgreSQL's) can read, and goes with it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || fail "Slurm's and munge's daemons are started here, which needs root"
postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
for command in munged slurmctld slurmd sbatch; do
  command -v "$command" >/dev/null || fail "$command is missing: apt-get install slurm-wlm munge postgresql"
done
[ -x "$postgres/initdb" ] || fail "PostgreSQL is missing: apt-get install postgresql"

work=$(mktemp -d -t wbb-cluster.XXXXXX)
chmod 755 "$work"
host=$(hostname -s)
started=()

stop() {
  local code=$?
  [ -d "$work/data" ] && as_postgres "$postgres/pg_ctl" -D "$work/data" -m immediate stop >/dev/null 2>&1 || true
  # Last in, first out; each by the number that was noted when it started.
  for ((k = ${#started[@]} - 1; k >= 0; k--)); do
    local pid
    pid=$(cat "${started[k]}" 2>/dev/null) && kill "$pid" 2>/dev/null || true
  done
  sleep 1
  if [ $code != 0 ]; then tail -n 20 "$work"/*.log 2>/dev/null || true; fi
  rm -rf "$work"
}
trap stop EXIT

as_postgres() { runuser -u postgres -- "$@"; }

free_port() { # a port of the loopback that nobody listens at
  local port
  for port in $(shuf -i 20000-40000 -n 50); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
  fail "no free port"
}

heading "munge and Slurm"
mkdir -p "$work/munge" "$work/state" "$work/spool"
chown munge "$work/munge"
dd if=/dev/urandom of="$work/munge/key" bs=1024 count=1 status=none
chown munge "$work/munge/key"
chmod 400 "$work/munge/key"
runuser -u munge -- munged --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
  --seed-file="$work/munge/seed" --log-file="$work/munge/log"
started+=("$work/munge/pid")
cat > "$work/slurm.conf" <<CONF
ClusterName=wbb
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
SlurmUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1
ReturnToService=2
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$work/slurm.conf"
slurmctld -c
started+=("$work/slurmctld.pid")
slurmd -N "$host" -c
started+=("$work/slurmd.pid")
for _ in $(seq 60); do
  sinfo --noheader --format=%T 2>/dev/null | grep -q '^idle' && break
  sleep 1
done
sinfo --noheader --format=%T | grep -q '^idle' || fail "the node did not come up: $(sinfo 2>&1 | tail -n 1)"
sinfo

heading "PostgreSQL"
mkdir "$work/data"
chown postgres "$work/data"
port=$(free_port)
as_postgres "$postgres/initdb" -D "$work/data" --auth=trust >"$work/initdb.log"
touch "$work/postgres.log" && chown postgres "$work/postgres.log"
as_postgres "$postgres/pg_ctl" -D "$work/data" -l "$work/postgres.log" -w \
  -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" start >/dev/null
echo "listens at 127.0.0.1:$port"

heading "fits"
export WBB_CHECK_SLURM=1 WBB_CHECK_POSTGRES=$port WBB_CHECK_FOLDER="$work"
NOT_CRAN=true Rscript -e 'testthat::test_file("tests/testthat/test-cluster.R", package = "wbb", load_package = "installed", stop_on_failure = TRUE)'
heading "the cluster's checks passed"
