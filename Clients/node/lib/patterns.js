/**
 * Whether a pattern matches a topic. `*` stands for one token, `>` at the end for one or more. Neither stands for a
 * first token that begins with `$`.
 */
export function matches(topic, pattern) {
  // No topic has a `*` or `>` in it.
  if (topic === pattern) return true;
  const wanted = pattern.split('.');
  const given = topic.split('.');
  for (let index = 0; index < wanted.length; index += 1) {
    if (index >= given.length) return false;
    const isTail = wanted[index] === '>';
    const isStar = wanted[index] === '*';
    if (index === 0 && (isTail || isStar) && topic.startsWith('$')) return false;
    if (isTail) return true;
    if (!isStar && wanted[index] !== given[index]) return false;
  }
  return wanted.length === given.length;
}
