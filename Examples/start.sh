# Sourced by each example's `run`: a server and its links in a folder of their own. All of it ends with the example, but
# for what it keeps.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
example=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
# Nobody else can make it before, as in the folder for temporary files. A short path: that of a Unix socket may have
# about a hundred bytes.
folder=${BATON_FOLDER:-~/.local/state/baton-examples/$(basename "$example")}
export BATON_SERVER=unix:$folder/baton.sock
export PYTHONPATH=$root/Clients/python${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1
unset BATON_TOKEN BATON_TOKEN_FILE BATON_CONFIG

give_up() { printf '%s: %s\n' "$(basename "$example")" "$*" >&2; exit 1; }

# The program: what BATON_PROGRAM names, else the newest that was built here, else the one that is installed.
find_baton() {
  local here
  here=$(ls -t "$root"/.build/*/baton 2>/dev/null | head -n 1 || true)
  baton=${BATON_PROGRAM:-${here:-$(command -v baton || true)}}
  [ -n "$baton" ] || give_up "there is no program baton; build it with ./Scripts/serve, or name it in BATON_PROGRAM"
  [ -x "$baton" ] || give_up "$baton cannot be run; name the program in BATON_PROGRAM, or build it with ./Scripts/serve"
}

# Whether the folder is there, and was made by this user: neither another one's, nor a link to who knows where.
is_ours() { [ -d "$folder" ] && [ -O "$folder" ] && [ ! -L "$folder" ]; }

# Whether the example runs already.
runs() { is_ours && [ -e "$folder/baton.sock" ] && "$baton" healthcheck >/dev/null 2>&1; }

kept=()
# make_folder [FILE...]: a new folder. What an example left that was killed is taken away, but for these files, which stay
# when the example ends; and what is not ours never.
make_folder() {
  if [ -e "$folder" ] || [ -L "$folder" ]; then
    is_ours || give_up "$folder is a link, no folder, or somebody else's; name another folder in BATON_FOLDER"
    if runs; then
      give_up "it runs already, in $folder; end it there, or name another folder in BATON_FOLDER"
    fi
    [ -e "$folder/baton.yaml" ] || give_up "$folder is not of this example; name another folder in BATON_FOLDER"
    keep "$@"
    clear_folder
  else
    mkdir -p "$(dirname "$folder")"
    mkdir -m 700 "$folder"
    keep "$@"
  fi
  cp "$example/baton.yaml" "$folder/baton.yaml"
}

keep() {
  local file
  for file; do kept+=(! -name "$file"); done
}

# Takes away all but what is kept.
clear_folder() { find "$folder" -mindepth 1 -maxdepth 1 ${kept[@]+"${kept[@]}"} -exec rm -rf {} +; }

# peer NAME RIGHT...: one that takes part, with a token of its own.
peer() {
  local name=$1 right may=()
  shift
  begin_peers
  for right; do may+=(--may "$right"); done
  "$baton" token "$name" --out "$folder/$name.token" "${may[@]}" | sed 's/^/  /' >>"$folder/baton.yaml"
}

# may NAME RIGHT...: an entry without a token, such as `anonymous`: everybody who reaches the server.
may() {
  local name=$1 right
  shift
  begin_peers
  printf '  %s:\n    may:\n' "$name" >>"$folder/baton.yaml"
  for right; do printf '      - %s\n' "$right" >>"$folder/baton.yaml"; done
}

# me: whoever runs the example may do everything, on the socket alone. HTTP is for all users of the machine.
me() {
  begin_peers
  printf '  me: { user: %s, may: [everything] }\n' "$UID" >>"$folder/baton.yaml"
}

# http_port: where the server has its HTTP. web_port: where a background `web` serves files.
http_port() { sed -n 's#^console at http://127.0.0.1:\([0-9]*\)/$#\1#p' "$folder/server.log"; }
# Its first line says it. Behind that stands what others have asked for, in their own words.
web_port() { sed -n '1s#.*(http://127.0.0.1:\([0-9]*\)/).*#\1#p' "$folder/web.log"; }
has_web() { [ -n "$(web_port)" ]; }

# Files of examples where nobody has an entry say `open: local`: whoever reaches the socket, this user alone, may do all.
begin_peers() { grep -q '^peers:' "$folder/baton.yaml" || printf '\npeers:\n' >>"$folder/baton.yaml"; }

# as NAME COMMAND...: runs it as that peer, in place of this shell.
as() {
  local name=$1
  shift
  BATON_TOKEN_FILE=$folder/$name.token exec "$@"
}

pids=()
# background NAME COMMAND...: what it says goes into NAME.log, and its process into NAME.pid.
background() {
  local name=$1
  shift
  "$@" >"$folder/$name.log" 2>&1 </dev/null &
  pids+=($!)
  echo $! >"$folder/$name.pid"
}

# plain NAME COMMAND...: runs it as nobody in particular, in place of this shell.
plain() { exec "${@:2}"; }

# foreground COMMAND...: it has the terminal. The shell waits beside it, so that a signal ends all at once.
foreground() {
  local code=0
  "$@" <&0 &
  pids+=($!)
  echo $! >"$folder/foreground.pid"
  wait $! || code=$?
  return "$code"
}

end_all() {
  trap - EXIT
  kill "${pids[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  if [ ${#kept[@]} -eq 0 ]; then
    rm -rf "$folder"
  else
    # The copy of the file shows whose folder it is.
    kept+=(! -name baton.yaml)
    clear_folder
    echo "What was accepted stays in $folder: run this again, and it goes on. To begin anew: rm -r $folder" >&2
  fi
}

# Serves, and returns when clients can connect.
serve() {
  trap end_all EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  background server "$baton" serve --config "$folder/baton.yaml"
  wait_until "the server" "$baton" healthcheck
}

# link NAME COMMAND...: a handler, as the peer of its name, if there are peers.
link() {
  if [ -e "$folder/$1.token" ]; then background "$1" as "$@"; else background "$1" plain "$@"; fi
}

# linked CHAIN NAME...: waits until these links are served. If there are peers, `onlooker` may see the chain.
linked() {
  local chain=$1 name
  shift
  for name; do wait_until "the link $name" is_served "$chain" "$name"; done
}

# -I: Python takes no modules from the folder in which one stands.
is_served() {
  local token=$folder/onlooker.token
  [ -e "$token" ] || token=
  env ${token:+"BATON_TOKEN_FILE=$token"} "$baton" chains "$1" --json |
    python3 -I -c 'import json, sys
links = [link for line in sys.stdin for chain in json.loads(line)["chains"] for link in chain["links"]]
sys.exit(not any(link.get("handler") == sys.argv[1] and link["connections"] for link in links))' "$2"
}

wait_until() {
  local what=$1 tries=0
  shift
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || { cat "$folder"/*.log >&2; give_up "$what does not come; above is what all of them said"; }
    sleep 0.1
  done
}

find_baton
