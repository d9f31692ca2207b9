// Speaks with Baton by itself: each message on /ws is a line of the protocol. The page's address ends with the port of
// the server, such as #22868.
const [state, posts, form, name, text, say] = ['state', 'posts', 'form', 'name', 'text', 'say'].map((id) =>
  document.getElementById(id));
// Whoever made the link has written it: what is no port would be another server (#80@evil.example).
const port = /^#(\d{1,5})$/.exec(location.hash)?.[1] ?? 22868;
const place = `ws://${location.hostname}:${port}/ws`;
const waiting = new Map(); // who takes the answer, by what was asked
let [socket, last, pause] = [undefined, 0, 250];

/** Shows a post, or why there is none. What others wrote is text, and never markup. */
function show(who, what, kind) {
  const line = document.createElement('li');
  line.className = kind;
  for (const [tag, words] of [['b', who], ['span', what]]) {
    line.append(Object.assign(document.createElement(tag), { textContent: words }), ' ');
  }
  posts.append(line);
  while (posts.childElementCount > 500) posts.firstElementChild.remove();
  line.scrollIntoView({ block: 'nearest' });
}

function ask(op, answered) {
  waiting.set(++last, answered);
  socket.send(JSON.stringify({ ...op, id: last }));
}

function hear(line) {
  if (line.op === 'event') show(`${line.payload?.name}:`, `${line.payload?.text}`, 'post');
  if (line.op === 'missed') show('', `${line.count} posts were missed`, 'refused');
  waiting.get(line.id)?.(line);
  waiting.delete(line.id);
}

function connect() {
  socket = new WebSocket(place, 'baton.1');
  socket.onopen = () => ask({ op: 'subscribe', topics: ['chat.room'] }, (line) => {
    pause = 250;
    say.disabled = line.op === 'error';
    state.textContent = line.op === 'error' ? line.message : 'connected';
  });
  socket.onmessage = ({ data }) => hear(JSON.parse(data));
  socket.onclose = () => {
    for (const answered of waiting.values()) answered({ status: 'failed', message: 'the connection was lost' });
    waiting.clear();
    say.disabled = true;
    state.textContent = 'not connected; it tries again';
    setTimeout(connect, (pause = Math.min(2 * pause, 5000)));
  };
}

form.onsubmit = (event) => {
  event.preventDefault(); // the page stays
  const post = { name: name.value, text: text.value };
  ask({ op: 'broadcast', topic: 'chat.room', via: 'moderation', payload: post }, ({ op, status, message, by, cause }) => {
    if (op === 'error' || status !== 'published') {
      show('not published:', `${cause === 'disconnect' ? `${by} is away` : message ?? status}: ${post.text}`, 'refused');
    }
  });
  text.value = '';
};
say.disabled = true;
connect();
