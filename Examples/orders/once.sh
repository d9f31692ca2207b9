# Sourced by the links. An order may be offered to them more than once; BATON_STORED is its name, and always the same.

# once FILE TEXT: adds the line "NAME TEXT", unless there is one of this order. Returns when it is on disk.
once() {
  grep -qs "^$BATON_STORED " "$1" || echo "$BATON_STORED $2" >>"$1"
  sync "$1"
}

# line_of FILE: the number of this order's line.
line_of() { grep -n "^$BATON_STORED " "$1" | cut -d: -f1; }

# One link at a time may read a file and add to it.
alone() { exec 9>"$BATON_FOLDER/$1.lock" && flock 9; }

# refuse WHY: a final no.
refuse() { echo "$1" >&2; exit 11; }

# Without a name nobody can tell one order from another.
[ -n "${BATON_STORED-}" ] || refuse "an order is a durable message"
# What others write is neither an option of a command, nor a pattern, nor more than a line of a file.
order='^\{ *"thing" *: *"([[:alnum:]][[:alnum:] -]{0,63})" *\}$'
[[ $(cat) =~ $order ]] ||
  refuse 'an order is {"thing":"…"}, with at most 64 letters, digits, spaces and hyphens'
thing=${BASH_REMATCH[1]}
