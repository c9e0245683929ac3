import { type KubernetesObject, type Tone, tones } from "@tsbuilder/apimachinery/meta";
import { connectionAdvice, placeOf } from "../../dev/view/readable-log.ts";
import { type Failing, errorOf, failureAt, withFailure } from "../../dev/view/failing.ts";
import type { Finding, FoundRequest } from "../../dev/record/findings/finding.ts";
import { groupBy, isLasting, shortened } from "../../dev/record/findings/finding.ts";
import { type History, type Reconcile, laneName, revisionAt } from "./history.ts";
import { ownTracks } from "./owner-tree.ts";
import { type Standing, standingOf } from "../../dev/view/standing.ts";

/** A request whose last reconcile failed, with its object. */
export interface Failure extends Failing {
  /** The place of its object; undefined if the record does not have it. */
  readonly place: string | undefined;
}

/** An object of one of the project's kinds, with how it stands. */
export interface OwnObject {
  readonly place: string;
  readonly resource: string;
  readonly key: string;
  readonly object: KubernetesObject;
  readonly standing: Standing;
  readonly failure: Failure | undefined;
}

/** How everything stands at a moment. */
export interface Health {
  readonly failures: readonly Failure[];
  /** By the place of the object. */
  readonly failureOf: ReadonlyMap<string, Failure>;
  /** The project's objects, the worst first: of those that are bad, the last that changed; the others keep their places, by name. */
  readonly own: readonly OwnObject[];
}

export function healthOf(history: History, moment: number): Health {
  const failures = [...history.lanes.values()].flatMap((lane): Failure[] => {
    const failure = failureAt(lane, moment);
    return failure ? [{ ...failure, place: history.placeOfRequest(lane) }] : [];
  });
  const failureOf = new Map(
    failures.flatMap((one) => (one.place === undefined ? [] : [[one.place, one] as const])),
  );
  const found = ownTracks(history).flatMap((track): (OwnObject & { readonly at: number })[] => {
    const { place, resource, key } = track;
    const revision = revisionAt(track, moment);
    if (revision === undefined) return [];
    const { object, index: at } = revision;
    const failure = failureOf.get(place);
    const standing = withFailure(standingOf(object), failure);
    return [{ place, resource, key, object, standing, failure, at }];
  });
  const byTone = groupBy(found, ({ standing: { tone } }) => tone);
  byTone.get("bad")?.sort((a, b) => b.at - a.at);
  const own = tones.flatMap((tone) => byTone.get(tone) ?? []);
  return { failures, failureOf, own };
}

/** A cause of what is wrong, once for everything that it affects. */
export interface Problem {
  readonly key: string;
  readonly tone: Tone;
  /** What is wrong, in one line. */
  readonly title: string;
  /** What happened, and what to do; empty if the title says all. */
  readonly text: string;
  /** The place in the project's sources: `/project/src/controller/mysql_controller.ts:40:5`. */
  readonly source: string | undefined;
  /** The last reconcile that failed because of it. */
  readonly reconcile: Reconcile | undefined;
  readonly times: number;
  readonly from: number;
  readonly at: number;
  /** True if it has not happened for a while, and nothing fails because of it. */
  readonly isOver: boolean;
  /** The objects, and the requests of objects that the record does not have. */
  readonly places: readonly string[];
  readonly requests: readonly FoundRequest[];
  readonly kind: Finding["kind"] | undefined;
  readonly call: string | undefined;
}

/** The findings that explain why a reconcile fails. */
const explaining: ReadonlySet<Finding["kind"]> = new Set([
  "retry loop",
  "missing right",
  "denied writes",
  "failing webhook",
]);

/**
 * Returns what is wrong at a moment, each cause once: failing reconciles with the same error at the same line, with the finding that
 * explains them; objects whose conditions tell of the same failure; and the other findings.
 */
export function problemsOf(
  history: History,
  { failures, own }: Health,
  findings: readonly Finding[],
  now: number,
): Problem[] {
  const failing = groupBy(failures, ({ reconcile }) => causeOf(reconcile));
  const explained = new Set<Finding>();
  const problems = [...failing].map(([key, group]): Problem => {
    const last = group.reduce((a, b) => (b.reconcile.to > a.reconcile.to ? b : a));
    const keys = new Set(group.map(({ reconcile }) => laneName(reconcile)));
    const isAbout = ({ requests }: Finding): boolean => requests.some((one) => keys.has(laneName(one)));
    const mine = findings.filter((one) => explaining.has(one.kind) && isAbout(one));
    for (const one of mine) explained.add(one);
    const best = mine.find(({ kind }) => kind !== "retry loop");
    const { reconcile } = last;
    return {
      key,
      tone: "bad",
      // The method and the path of a refused request stand in its reconcile.
      title: best?.title ?? shortened(errorOf(reconcile).replace(/^ApiError: [A-Z]+ \S+: /u, ""), 200),
      text: best?.text ?? connectionAdvice(errorOf(reconcile)) ?? "",
      source: reconcile.stack && placeOf(reconcile.stack),
      reconcile,
      times: group.reduce((sum, { times }) => sum + times, 0),
      from: Math.min(...group.map(({ since }) => since)),
      at: reconcile.to,
      isOver: false,
      places: group.flatMap(({ place }) => place ?? []),
      requests: group.map(({ reconcile: { controller, request } }) => ({ controller, request })),
      kind: best?.kind,
      call: best?.call,
    };
  });
  const unwell = own.filter(({ standing, failure }) => standing.tone === "bad" && failure === undefined);
  for (const [key, group] of groupBy(
    unwell,
    ({ object, key: name, standing: { why } }) => `${object.kind} ${nameless(why, name)}`,
  )) {
    const [{ object, standing, place }] = group as [OwnObject];
    const since = standing.conditions.filter(({ tone }) => tone === "bad").map((one) => one.since);
    const from = Math.min(
      ...since.filter((at) => !Number.isNaN(at)),
      revisionAt(history.tracks.get(place)!, now)!.at,
    );
    const places = group.map((one) => one.place);
    problems.push({
      ...plain,
      key,
      title: `${object.kind} ${standing.why}`,
      from,
      at: from,
      times: 1,
      places,
      isOver: false,
    });
  }
  const rest = findings.filter((one) => !explained.has(one));
  for (const [key, group] of groupBy(rest, patternOf)) {
    const last = group.at(-1)!;
    const at = Math.max(...group.map((one) => one.at));
    const isOver = last.kind === "retry loop" || !isLasting({ at }, now);
    const places = [...new Set(group.flatMap((one) => one.places))].filter((place) =>
      history.tracks.has(place),
    );
    const requests = group.flatMap((one) => one.requests);
    problems.push({
      ...plain,
      ...last,
      key,
      tone: isOver ? "none" : "busy",
      from: group[0]!.from,
      at,
      times: group.length,
      isOver,
      places,
      requests,
    });
  }
  return problems.sort(
    (a, b) =>
      Number(a.isOver) - Number(b.isOver) || tones.indexOf(a.tone) - tones.indexOf(b.tone) || b.at - a.at,
  );
}

const plain = {
  tone: "bad",
  text: "",
  source: undefined,
  reconcile: undefined,
  requests: [],
  kind: undefined,
  call: undefined,
} as const;

/** Returns what failing reconciles with the same cause have in common: the controller, the line, and the error without names. */
function causeOf({ controller, request, error = "", stack = "" }: Reconcile): string {
  return [controller, placeOf(stack), nameless(error, request)].join("\n");
}

function patternOf({ kind, title, requests, places }: Finding): string {
  const keys = [
    ...requests.map(({ request }) => request),
    ...places.map((place) => place.slice(place.indexOf(" ") + 1)),
  ];
  return `${kind} ${keys.reduce(nameless, title)}`;
}

/** Returns a text without an object's name, namespace and numbers, which differ from object to object; `db-0` has the name of `db`. */
function nameless(text: string, key: string): string {
  const names = key.split("/");
  return text.replaceAll(/[\w-]+(?:\.[\w-]+)*/gu, (word) => {
    const name = names.find((one) => word === one || word.startsWith(`${one}-`));
    return (name === undefined ? word : `…${word.slice(name.length)}`).replaceAll(/\d+/gu, "0");
  });
}
