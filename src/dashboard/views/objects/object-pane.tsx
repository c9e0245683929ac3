import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Tab, tabs, usePage } from "../shown.ts";
import { type Track, revisionAt } from "../../history/history.ts";
import { withFailure } from "../../../dev/view/failing.ts";
import { standingOf } from "../../../dev/view/standing.ts";
import { Key, KindIcon, Mark } from "../outcomes.tsx";
import { ChangesTab, EditTab, EventsTab, FieldsTab, ReconcilesTab, WebhooksTab } from "./object-tabs.tsx";
import { Copies, StateTab } from "./state-tab.tsx";

/** The object that is shown, in tabs: how it stands, its history, its writers, and everything that has to do with it. */
export function ObjectPane() {
  const { feed, shown, show, moment, health, place } = usePage();
  const pane = useRef<HTMLElement>(null);
  // On a phone it stands below what was clicked.
  useEffect(() => {
    const { top = 0 } = pane.current?.getBoundingClientRect() ?? {};
    if (shown.place !== undefined && top > innerHeight * 0.9) pane.current?.scrollIntoView();
  }, [shown.place]);
  const track = place === undefined ? undefined : feed.history.tracks.get(place);
  if (track === undefined)
    return (
      <section class="pane empty">
        {place === undefined ? "There is no object yet." : `The record has no ${place}.`}
      </section>
    );
  const revision = revisionAt(track, moment);
  const standing = revision && withFailure(standingOf(revision.object), health.failureOf.get(track.place));
  const { kind } = track.revisions.at(-1)!.object;
  const isOffered: Partial<Record<Tab, boolean>> = {
    webhooks: feed.history.calls.length > 0,
    edit: feed.actions.includes("apply"),
  };
  const offered = tabs.filter((tab) => isOffered[tab] !== false);
  const tab = offered.includes(shown.tab) ? shown.tab : "state";
  const { Content } = tabViews[tab];
  const onKeyDown = ({ key, currentTarget }: JSX.TargetedKeyboardEvent<HTMLElement>): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const next = (offered.indexOf(tab) + step + offered.length) % offered.length;
    show({ tab: offered[next]! });
    currentTarget.querySelectorAll("button")[next]?.focus();
  };
  return (
    <section class="pane" ref={pane} aria-label={`${kind} ${track.key}`}>
      <div class="pane-head">
        <h2>
          {standing && <Mark tone={standing.tone} />} <KindIcon kind={kind} /> {kind} <Key of={track.key} />
        </h2>
        <Copies key={track.place} object={revision?.object} resource={track.resource} />
      </div>
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
            {tabViews[one].title}
          </button>
        ))}
      </div>
      <div class="tab" id="tab" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <Content key={track.place} track={track} />
      </div>
    </section>
  );
}

type TabContent = (props: { readonly track: Track }) => JSX.Element;

const tabViews: Readonly<Record<Tab, { readonly title: string; readonly Content: TabContent }>> = {
  state: { title: "State", Content: StateTab },
  changes: { title: "Changes", Content: ChangesTab },
  fields: { title: "Fields", Content: FieldsTab },
  reconciles: { title: "Reconciles", Content: ReconcilesTab },
  webhooks: { title: "Webhooks", Content: WebhooksTab },
  events: { title: "Events", Content: EventsTab },
  edit: { title: "Edit", Content: EditTab },
};
