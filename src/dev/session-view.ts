import type { Report } from "./dev-event.ts";
import type { Session } from "./session.ts";

/** A view of a session. */
export interface SessionView {
  readonly report: Report;
  /** Called with the address of its page when the session is running: from now on keys work. */
  started(session: Session, page: string): void;
  /** Resolves when the user quits with a key. */
  readonly quit: Promise<void>;
  /** Releases what the view holds. */
  close(): void;
}
