import { about } from "../history/about.ts";
import type { Track } from "../history/history.ts";
import { usePage } from "./shown.ts";
import { timeOfDay } from "./times.ts";

/** The Events about an object. */
export function EventsTab({ track }: { readonly track: Track }) {
  const { feed, moment } = usePage();
  const events = about(feed.history, track.place).events.filter(({ revision }) => revision.at <= moment);
  if (events.length === 0) return <p class="empty">There are no Events about it.</p>;
  return (
    <ul class="events">
      {events.map(({ place, revision: { at }, told: { isWarning, reason, text, times } }) => (
        <li key={place} class={isWarning ? "warning" : undefined}>
          <time>{timeOfDay(at)}</time> {isWarning && "⚠ "}
          <strong>{reason}</strong> {text}
          {times > 1 && ` (${times} times)`}
        </li>
      ))}
    </ul>
  );
}
