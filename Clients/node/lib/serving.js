import { drain } from './draining.js';

const signals = ['SIGTERM', 'SIGINT'];

/**
 * Serves until a signal comes, the session has ended, or it has nothing left to serve. The first signal drains, the
 * second one closes.
 */
export async function serve(session) {
  session.isPatient = true;
  const leave = () => {
    if (session.links.isLeaving) session.close();
    else {
      session.tellWhatIsOpen();
      void drain(session);
    }
  };
  for (const signal of signals) process.on(signal, leave);
  try {
    await session.changes.until(() => session.isOver || session.isIdle);
    if (!session.isOver) void drain(session);
    await session.closed();
  } finally {
    for (const signal of signals) process.off(signal, leave);
  }
}
