import type { Report } from "./dev-event.ts";
import type { Session } from "./session.ts";

/** How a session is shown. */
export interface SessionView {
  readonly report: Report;
  /** The session runs: from now on keys work, where there are any. */
  started(session: Session): void;
  /** Resolves when somebody asks for the end by a key. */
  readonly quit: Promise<void>;
  /** Gives back what the view has taken. */
  close(): void;
}
