// The first view: what is wrong, each cause once, how the objects of the project's kinds stand, the worst first, and beside them the
// chosen object with its children.

import { useMemo } from "preact/hooks";
import { formatAge } from "@tsbuilder/apimachinery/text";
import type { OwnObject, Problem } from "../../history/problems.ts";
import { groupBy, span } from "../../../dev/record/findings/finding.ts";
import { type Column, columnsOf } from "../../history/columns.ts";
import { type Tone, tones } from "@tsbuilder/apimachinery/meta";
import { countUntil } from "../../../dev/record/count-until.ts";
import { toneWords } from "../../../dev/view/standing.ts";
import { Source } from "../error-text.tsx";
import { Empty, Link } from "../messages.tsx";
import { ObjectPane } from "../objects/object-pane.tsx";
import { Key, KindIcon, Mark } from "../outcomes.tsx";
import { type Shown, usePage, type Tab } from "../shown.ts";
import { type Facts, counted, grouped, matcher, timeOfDay, toneTerm, verdictText } from "../texts.ts";

export function NowView() {
  return (
    <div class="split">
      <div class="story" tabIndex={0} role="region" aria-label="The story now">
        <Verdict />
        <Problems />
        <Kinds />
      </div>
      <ObjectPane />
    </div>
  );
}

/** Returns the number of objects of each tone. */
export function countTones(own: readonly OwnObject[]): Readonly<Record<Tone, number>> {
  const counts = { bad: 0, busy: 0, good: 0, none: 0 };
  for (const { standing } of own) counts[standing.tone]++;
  return counts;
}

/** Everything in one sentence. */
function Verdict() {
  const { feed, health, problems, moment } = usePage();
  const counts = countTones(health.own);
  const { bad, busy, good, none } = counts;
  const kinds = new Set(health.own.map(({ resource }) => resource)).size;
  const current = problems.filter(({ isOver }) => !isOver);
  const endedUntil = (at: number): number => countUntil(feed.history.reconciles, ({ to }) => to <= at);
  const tone =
    bad > 0 || health.failures.length > 0
      ? "bad"
      : busy + current.length > 0
        ? "busy"
        : good > 0
          ? "good"
          : "none";
  const isSilent = none > 0 && none === health.own.length;
  const recent = endedUntil(moment) - endedUntil(moment - 60_000);
  return (
    <div class={`verdict-line ${tone}`}>
      <h2>
        <Mark tone={tone} /> {verdictText(counts, health.failures.length)}
        {kinds > 1 && <span class="dim">, of {kinds} kinds</span>}
      </h2>
      <p class="dim">
        {[
          ...tones
            .filter((one) => counts[one] > 0 && !isSilent)
            .map((one) => `${grouped(counts[one])} ${toneWords[one]}`),
          `${counted(recent, "reconcile")} in the last minute`,
          ...(current.length > 0 ? [`${counted(current.length, "cause")} below`] : []),
        ].join(" · ")}
      </p>
      {isSilent && (
        <p class="dim">
          None of them has a status, so that nobody can see whether they are ready: let the reconciler write
          conditions.
        </p>
      )}
    </div>
  );
}

/** The causes of what is wrong; below them, folded, those of earlier. */
function Problems() {
  const { problems, shown } = usePage();
  const matches = matcher(shown.filter);
  const found = problems.filter(({ title, text, tone, places }) =>
    [...places, ""].some((place) =>
      matches(`${title} ${text} ${place}`, { tone, key: place.slice(place.indexOf(" ") + 1) }),
    ),
  );
  const [current, over] = [found.filter(({ isOver }) => !isOver), found.filter(({ isOver }) => isOver)];
  return (
    <>
      <ul class="problems">
        {current.map((problem) => (
          <ProblemItem key={problem.key} problem={problem} />
        ))}
      </ul>
      {over.length > 0 && (
        <details class="over">
          <summary>{counted(over.length, "cause")} of earlier trouble, over now</summary>
          <ul class="problems">
            {over.map((problem) => (
              <ProblemItem key={problem.key} problem={problem} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** The number of objects that a cause names. */
const mostNamed = 3;

/** Causes with a link to the view of numbers. */
const numericKinds: readonly Problem["kind"][] = ["blocked event loop", "growing queue", "growing memory"];

/** The milliseconds before and after a cause that the linked view shows. */
const contextTime = 10_000;

/** The tab of an object that shows a cause at work. Default: its state. */
const telling: Readonly<Partial<Record<NonNullable<Problem["kind"]>, Tab>>> = {
  fight: "changes",
  "hot loop": "reconciles",
};

function ProblemItem({ problem }: { readonly problem: Problem }) {
  const { feed, show, place: chosen } = usePage();
  const { tone, title, text, source, times, from, at, places, requests, reconcile, call, kind } = problem;
  const { history } = feed;
  const [first] = places;
  const tab = (kind && telling[kind]) ?? "state";
  const open = (): void => {
    if (first !== undefined) show({ place: first, tab });
    else if (reconcile) show({ view: "timeline", reconcileID: reconcile.reconcileID, callID: undefined });
  };
  const strangers = requests.filter((one) => history.placeOfRequest(one) === undefined);
  const known = [...new Set([...places, ...requests.flatMap((one) => history.placeOfRequest(one) ?? [])])];
  const isChosen = first !== undefined && places.includes(chosen ?? "");
  return (
    <li class={tone}>
      <div class="problem-line">
        <Mark tone={tone} />
        <button type="button" class="title" title={title} onClick={open}>
          {title}
        </button>
        <Source source={source} isShort />
      </div>
      <details open={isChosen}>
        <summary>
          {known.length > 1
            ? `${known.length} objects`
            : nameOf(history.tracks.get(known[0] ?? "")?.revisions[0]?.object.kind, known[0] ?? "")}
          {times > 1 && `, ${times} times`}
          {at - from >= 1000 && `, for ${span(at - from)}`}
        </summary>
        {text !== "" && text !== title && <p>{text}</p>}
        <p class="dim">
          <Link to={{ moment: from }}>
            <time>{timeOfDay(from).slice(0, 8)}</time>
          </Link>
          {at - from >= 1000 && ` to ${timeOfDay(at).slice(0, 8)}`}
          {known.slice(0, mostNamed).map((place) => (
            <Link isListed key={place} to={{ place, tab }}>
              {nameOf(history.tracks.get(place)?.revisions[0]?.object.kind, place)}
            </Link>
          ))}
          {known.length > mostNamed && ` and ${known.length - mostNamed} more`}
          {(strangers.length > 0 || reconcile === undefined) &&
            requests.slice(0, 1).map(({ controller, request }) => (
              <Link
                isListed
                key={request}
                to={{ view: "timeline", callID: undefined, filter: `${controller} ${request}` }}
              >
                its reconciles
              </Link>
            ))}
          {reconcile && (
            <Link isListed to={{ view: "timeline", reconcileID: reconcile.reconcileID, callID: undefined }}>
              the reconcile
            </Link>
          )}
          {call !== undefined && (
            <Link isListed to={{ view: "timeline", callID: call }}>
              a call of it
            </Link>
          )}
          {numericKinds.includes(kind) && (
            <Link
              isListed
              to={{
                view: "numbers",
                filter: "",
                moment: at,
                stretch: { from: from - contextTime, to: at + contextTime },
              }}
            >
              numbers at that time
            </Link>
          )}
        </p>
      </details>
    </li>
  );
}

function nameOf(kind: string | undefined, place: string): string {
  return kind === undefined ? place : `${kind} ${place.slice(place.indexOf(" ") + 1)}`;
}

/** A table for each of the project's kinds. */
function Kinds() {
  const { feed, health, shown } = usePage();
  const matches = matcher(shown.filter, feed.history);
  const own = health.own.filter((one) =>
    matches(`${one.object.kind} ${one.key} ${one.standing.why}`, factsOf(one)),
  );
  if (own.length === 0 && health.own.length > 0) return <Empty isFiltered>{""}</Empty>;
  if (own.length === 0 && feed.history.tracks.size === 0)
    return (
      <Empty isFiltered={false}>
        Of this cluster the page shows reconciles and the log: it does not tell who writes what.
      </Empty>
    );
  if (own.length === 0)
    return <Empty isFiltered={false}>Apply one: the key s in the terminal applies config/samples.</Empty>;
  return (
    <>
      {[...groupBy(own, ({ resource }) => resource)].map(([resource, objects]) => (
        <KindTable key={resource} resource={resource} objects={objects} />
      ))}
    </>
  );
}

function factsOf({ object, key, standing }: OwnObject): Facts {
  return { kind: object.kind, key, tone: standing.tone };
}

/** The number of objects of a kind that are listed: the view of objects lists all. */
const mostObjects = 50;

function KindTable({
  resource,
  objects,
}: {
  readonly resource: string;
  readonly objects: readonly OwnObject[];
}) {
  const { feed, moment, place: chosen } = usePage();
  const [{ object }] = objects as [OwnObject];
  const { kind } = object;
  const columns = columnsOf(feed.history, resource, object.apiVersion, moment);
  const counts = countTones(objects);
  return (
    <table class="kinds">
      <caption>
        <KindIcon kind={kind} /> <b>{kind}</b> <span class="dim">{counted(objects.length, "object")}:</span>
        {tones
          .filter((tone) => counts[tone] > 0)
          .map((tone) => (
            <Link isListed key={tone} to={{ filter: `kind:${kind} ${toneTerm(tone)}` }}>
              {grouped(counts[tone])} {toneWords[tone]}
            </Link>
          ))}
      </caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          {columns.map(({ name, isNumber }) => (
            <th scope="col" key={name} class={isNumber ? "number" : undefined}>
              {name}
            </th>
          ))}
          <th scope="col" class="number">
            Age
          </th>
        </tr>
      </thead>
      <tbody>
        {objects.slice(0, mostObjects).map((one) => (
          <ObjectRow
            key={one.place}
            one={one}
            cells={columns.map(({ cell }) => cell(one.object, moment))}
            columns={columns}
            isChosen={one.place === chosen}
          />
        ))}
      </tbody>
      {objects.length > mostObjects && (
        <tfoot>
          <tr>
            <td colSpan={columns.length + 2}>
              <Link to={{ view: "objects", filter: `kind:${kind}` } satisfies Partial<Shown>}>
                and {objects.length - mostObjects} more
              </Link>
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

interface ObjectRowProps {
  readonly one: OwnObject;
  readonly columns: readonly Column[];
  readonly cells: readonly string[];
  readonly isChosen: boolean;
}

/** An object in the table of its kind. It is drawn anew only if what it shows differs: the moment may move with each frame. */
function ObjectRow({ one, columns, cells, isChosen }: ObjectRowProps) {
  const { moment, show } = usePage();
  const { place, key, standing, object, failure } = one;
  const { creationTimestamp } = object.metadata;
  const age = creationTimestamp == null ? "" : formatAge(creationTimestamp, moment);
  // The cause of a failure stands above, once.
  const why = failure === undefined ? standing.why : "";
  return useMemo(
    () => (
      <tr class={isChosen ? "current" : undefined} onClick={() => show({ place })}>
        <th scope="row">
          <Mark tone={standing.tone} />{" "}
          <button type="button" class="name" aria-pressed={isChosen} title={key}>
            <Key of={key} />
          </button>
          {why !== "" && <span class={`why ${standing.tone}`}>{why}</span>}
        </th>
        {columns.map(({ name, isNumber }, index) => (
          <td key={name} class={isNumber ? "number" : undefined}>
            {cells[index]}
          </td>
        ))}
        <td class="number">{age}</td>
      </tr>
    ),
    [place, isChosen, standing.tone, why, age, columns.length, cells.join("\n")],
  );
}
