import type { JSX } from "preact";
import { ChangesTab } from "./changes-tab.tsx";
import { EditTab } from "./edit-tab.tsx";
import { EventsTab } from "./events-tab.tsx";
import { FieldsTab } from "./fields-tab.tsx";
import { ReconcilesTab } from "./reconciles-tab.tsx";
import { WebhooksTab } from "./webhooks-tab.tsx";
import { type Tab, tabs, usePage } from "./shown.ts";

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
