import { Closed } from './errors.js';

/**
 * Leaves without failing anybody: removes the links, answers the open offers, waits for the open requests, and closes.
 * It never rejects.
 */
export async function drain(session) {
  const { changes, links, requests } = session;
  if (!links.isLeaving) {
    links.isLeaving = true;
    await changes.until(() => session.phase !== 'settingUp');
    if (session.phase === 'open') for (const line of links.removals()) void requests.ask(line, { isUrgent: true });
    await changes.until(() => session.phase !== 'open' || !session.isBusy);
    session.finish(new Closed());
  }
  await changes.until(() => session.isOver);
}
