import { about } from "../history/about.ts";
import type { Track } from "../history/history.ts";
import { usePage } from "./shown.ts";
import { timeOfDay } from "./times.ts";

/** What is shown of an Event, of either group. */
interface ShownEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly note?: string;
  readonly count?: number;
  readonly series?: { readonly count?: number };
}

/** The Events about an object. */
export function EventsTab({ track }: { readonly track: Track }) {
  const { feed, moment } = usePage();
  const events = about(feed.history, track.place).events.filter(({ revision }) => revision.at <= moment);
  if (events.length === 0) return <p class="empty">There are no Events about it.</p>;
  return (
    <ul class="events">
      {events.map(({ place, revision: { at, object } }) => {
        const { type, reason, message, note, count, series } = object as ShownEvent;
        const times = series?.count ?? count ?? 1;
        return (
          <li key={place} class={type === "Warning" ? "warning" : undefined}>
            <time>{timeOfDay(at)}</time> {type === "Warning" && "⚠ "}
            <strong>{reason}</strong> {note ?? message}
            {times > 1 && ` (${times} times)`}
          </li>
        );
      })}
    </ul>
  );
}
