import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { ChangesTab } from "./changes-tab.tsx";
import { EditTab } from "./edit-tab.tsx";
import { WebhooksTab } from "./webhooks-tab.tsx";
import { type Tab, tabs, usePage } from "./shown.ts";
import { about } from "../history/about.ts";
import { type Track, revisionAt } from "../history/history.ts";
import { timeOfDay } from "./times.ts";
import { ReconcileLine } from "./reconcile-line.tsx";
import { linesWithWriters } from "../history/field-writers.ts";

const titles: Readonly<Record<Tab, string>> = {
  changes: "Changes",
  fields: "Fields",
  reconciles: "Reconciles",
  webhooks: "Webhooks",
  events: "Events",
  edit: "Edit",
};

/** One object: how it became what it is, and who wrote what. */
export function ObjectPane() {
  const { feed, shown, show } = usePage();
  const track = shown.place === undefined ? undefined : feed.history.tracks.get(shown.place);
  if (track === undefined) return <section class="pane empty">Choose an object.</section>;
  const { kind } = track.revisions.at(-1)!.object;
  const isOffered: Partial<Record<Tab, boolean>> = {
    webhooks: feed.history.calls.length > 0,
    edit: feed.actions.includes("apply"),
  };
  const offered = tabs.filter((tab) => isOffered[tab] !== false);
  const tab = offered.includes(shown.tab) ? shown.tab : "changes";
  const CurrentTab = {
    changes: ChangesTab,
    fields: FieldsTab,
    reconciles: ReconcilesTab,
    webhooks: WebhooksTab,
    events: EventsTab,
    edit: EditTab,
  }[tab];
  const onKeyDown = ({ key, currentTarget }: JSX.TargetedKeyboardEvent<HTMLElement>): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const next = (offered.indexOf(tab) + step + offered.length) % offered.length;
    show({ tab: offered[next]! });
    currentTarget.querySelectorAll("button")[next]?.focus();
  };
  return (
    <section class="pane" aria-label={`${kind} ${track.key}`}>
      <h2>
        {kind} {track.key}
      </h2>
      <div class="tabs" role="tablist" aria-label="What is shown of it" onKeyDown={onKeyDown}>
        {offered.map((one) => (
          <button
            type="button"
            role="tab"
            key={one}
            id={`tab-${one}`}
            aria-selected={one === tab}
            aria-controls="tab"
            tabIndex={one === tab ? 0 : -1}
            onClick={() => show({ tab: one })}
          >
            {titles[one]}
          </button>
        ))}
      </div>
      <div class="tab" id="tab" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <CurrentTab key={track.place} track={track} />
      </div>
    </section>
  );
}

/** The object as YAML, each line with the managers of its field. */
function FieldsTab({ track }: { readonly track: Track }) {
  const { moment } = usePage();
  const revision = revisionAt(track, moment);
  if (revision === undefined) return <p class="empty">It does not exist at this moment.</p>;
  const lines = linesWithWriters(revision.object);
  const managers = [...new Set(lines.flatMap((line) => line.managers.map(({ manager }) => manager)))];
  return (
    <table class="fields" tabIndex={0}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Written by</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, at) => (
          <tr key={at}>
            <td>
              <code title={line.path}>{line.text}</code>
            </td>
            <td>
              {line.managers.map(({ manager, operation, subresource, at: time }) => (
                <span
                  title={operation}
                  key={`${manager} ${subresource}`}
                  class={`manager m${managers.indexOf(manager) % 6}`}
                >
                  {manager}
                  {subresource === undefined ? "" : ` (${subresource})`}{" "}
                  {time !== undefined && <time class="dim">{timeOfDay(Date.parse(time)).slice(0, 8)}</time>}
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** So many are drawn: the last ones. */
const most = 200;

/** The reconciles that the object caused, and those that wrote it, the newest first. */
function ReconcilesTab({ track: { place } }: { readonly track: Track }) {
  const { feed, moment } = usePage();
  const { history } = feed;
  const many = history.reconciles.length;
  const found = useMemo(() => {
    const { caused, wrote } = about(history, place);
    const writers = new Set(wrote.map(({ reconcile }) => reconcile));
    const all = new Set([...caused, ...writers]);
    const reasons = new Set(caused);
    return [...all]
      .toSorted((a, b) => b.from - a.from)
      .map((reconcile) => ({ reconcile, how: how(reasons.has(reconcile), writers.has(reconcile)) }));
  }, [history, place, many]);
  const past = found.filter(({ reconcile }) => reconcile.from <= moment).slice(0, most);
  if (past.length === 0) return <p class="empty">No reconcile had to do with it.</p>;
  return (
    <ul class="reconciles">
      {past.map(({ reconcile, how: why }) => (
        <li key={reconcile.reconcileID}>
          <ReconcileLine reconcile={reconcile} how={why} />
        </li>
      ))}
    </ul>
  );
}

function how(isCause: boolean, isWriter: boolean): string {
  if (isCause && isWriter) return "caused by it and wrote it";
  return isCause ? "caused by it" : "wrote it";
}

/** The Events about an object. */
function EventsTab({ track }: { readonly track: Track }) {
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
