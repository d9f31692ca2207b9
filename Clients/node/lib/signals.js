/**
 * Lets SIGTERM and SIGINT drain a session; a second signal closes it at once, and a third is the system's again.
 * Returns what takes that back.
 */
export function leaveOnSignals(session) {
  const leave = () => {
    if (session.isDraining) session.close();
    else void session.drain();
  };
  const signals = ['SIGTERM', 'SIGINT'];
  for (const signal of signals) process.on(signal, leave);
  return () => {
    for (const signal of signals) process.off(signal, leave);
  };
}
