import type { BegunReconcile, DevEvent, ShownObject } from "../dev-event.ts";
import type { Finding } from "../record/findings/finding.ts";
import type { OwnedObjects } from "./owned-objects.ts";
import { readableLogLine } from "./readable-log.ts";
import type { RecordedReconcile, RecordedSample } from "../record/recorded.ts";

/** Everything that the screen shows, independent of its size. `afterEvent`, `afterToggle` and `afterMove` change it. */
export interface ScreenState {
  readonly title: string;
  /** The project's folder, which is omitted from places in its sources. */
  readonly root: string;
  /** Undefined until the cluster is ready. */
  readonly cluster:
    | {
        readonly url: string;
        readonly kubeconfig: string;
        /** The address of the page. */
        readonly page: string;
      }
    | undefined;
  /** The project's objects by kind, namespace and name. */
  readonly objects: ReadonlyMap<string, ShownObject>;
  /** The dependents of all objects; undefined before a session has started. It changes while the session runs. */
  readonly owned: Pick<OwnedObjects, "below"> | undefined;
  /** The key of the object that the user selected. */
  readonly selected: string | undefined;
  /** The key of the object that changed last. */
  readonly lastChanged: string | undefined;
  /** The operator's latest output, oldest line first. */
  readonly log: readonly LogLine[];
  /** The latest sample of the operator's process. */
  readonly sample: RecordedSample | undefined;
  /** The number of finished reconciles of the operator's process. */
  readonly reconciles: number;
  /** The reconciles that run, by their reconcileID. */
  readonly running: ReadonlyMap<string, BegunReconcile>;
  /** The reconcile that ended last, and how often its request was reconciled in a row. */
  readonly last: (RecordedReconcile & { readonly inARow: number }) | undefined;
  /** The probable mistakes that still happen, the last first. */
  readonly findings: readonly Finding[];
  /** The requests whose last reconcile failed, by controller and request, in the order of the failures. */
  readonly failures: ReadonlyMap<string, Failure>;
  /** The kind of each controller that has logged something. */
  readonly kinds: ReadonlyMap<string, string>;
  /** The latest action of dev. */
  readonly note: string;
  /** The errors to fix; cleared when the failed step is repeated. */
  readonly problem: string | undefined;
  readonly view: ScreenView;
  /** How many failures and mistakes are skipped in their view, which may have more than fit on the screen. */
  readonly skipped: number;
}

/** The view below the head: objects and log, or the part that a key unfolds. */
export type ScreenView = "overview" | "diff" | "failures" | "help";

/** A line of the operator's output, and how often it was repeated in a row. */
export interface LogLine {
  readonly time: string;
  readonly text: string;
  readonly times: number;
}

/** A request whose reconciles fail, and the number of failures in a row. */
export interface Failure extends Pick<
  RecordedReconcile,
  "at" | "controller" | "request" | "error" | "stack"
> {
  readonly times: number;
}

/** The state before a session has started. */
export function emptyScreen(title: string, root: string): ScreenState {
  return {
    title,
    root,
    cluster: undefined,
    objects: new Map(),
    owned: undefined,
    selected: undefined,
    lastChanged: undefined,
    log: [],
    sample: undefined,
    reconciles: 0,
    running: new Map(),
    last: undefined,
    findings: [],
    failures: new Map(),
    kinds: new Map(),
    note: "starting the cluster and the operator",
    problem: undefined,
    view: "overview",
    skipped: 0,
  };
}

/** The state after an event. */
export function afterEvent(
  state: ScreenState,
  event: DevEvent,
  describeError: (error: unknown) => string,
): ScreenState {
  switch (event.type) {
    case "info":
      return { ...state, note: event.text };
    case "operator":
      return afterLine(state, event.line);
    case "began":
      return { ...state, running: new Map(state.running).set(event.reconcile.reconcileID, event.reconcile) };
    case "findings":
      return afterFindings(state, event.findings);
    case "reconcile":
      return afterReconcile(state, event.reconcile);
    case "sample":
      return { ...state, sample: event.sample };
    case "error":
      return { ...state, problem: describeError(event.error) };
    case "again": {
      const solved = { ...state, problem: undefined };
      return event.what === "operator"
        ? { ...solved, reconciles: 0, running: new Map(), last: undefined, failures: new Map() }
        : solved;
    }
    case "object":
      return afterChange(state, event.object);
  }
}

/** Shows a view; shows the overview again if that view is shown already. */
export function afterToggle(state: ScreenState, view: ScreenView): ScreenState {
  return { ...state, view: state.view === view ? "overview" : view, skipped: 0 };
}

/** Selects the next or the previous object, or failure, up to the first and the last. */
export function afterMove(state: ScreenState, step: 1 | -1): ScreenState {
  if (state.view === "failures") {
    const most = Math.max(0, state.failures.size + state.findings.length - 1);
    return { ...state, skipped: Math.min(most, Math.max(0, state.skipped + step)) };
  }
  const keys = [...state.objects.keys()].toSorted();
  const from = shownKey(state);
  const to = from === undefined ? keys[0] : keys[keys.indexOf(from) + step];
  return to === undefined ? state : { ...state, selected: to };
}

/** The key of the object that `d` shows: the selected one, else the one that changed last. */
export function shownKey({ selected, lastChanged }: ScreenState): string | undefined {
  return selected ?? lastChanged;
}

/** Returns what is about an object, from failures or running reconciles: those of its request, by its kind's own controller. */
export function about<Of extends Pick<BegunReconcile, "controller" | "request">>(
  { kinds }: ScreenState,
  { kind, namespace, name }: ShownObject,
  reconciles: ReadonlyMap<string, Of>,
): Of | undefined {
  const request = namespace ? `${namespace}/${name}` : name;
  return [...reconciles.values()].find(
    (one) => one.request === request && kinds.get(one.controller) === kind,
  );
}

/** Formats a line of the log; the least important part, which may be cut off, is at the end. */
export function textOfLine({ time, text, times }: LogLine): string {
  return [...(time === "" ? [] : [time]), ...(times > 1 ? [`${times}×`] : []), text].join(" ");
}

/** The number of lines that are kept: more than any screen has rows. */
const keptLines = 500;

/** Adds a line to the log. A repeated line, such as that a reconcile failed, is counted instead. */
function afterLine(state: ScreenState, line: string): ScreenState {
  const readable = readableLogLine(line, state.root);
  const { time, text, controller, controllerKind } = readable ?? { time: "", text: line };
  const last = state.log.at(-1);
  const isAgain = readable !== undefined && last?.text === text;
  const log = isAgain
    ? [...state.log.slice(0, -1), { time, text, times: last.times + 1 }]
    : [...state.log, { time, text, times: 1 }].slice(-keptLines);
  const kinds =
    controller === undefined || controllerKind === undefined || state.kinds.has(controller)
      ? state.kinds
      : new Map(state.kinds).set(controller, controllerKind);
  return { ...state, log, kinds };
}

function afterFindings(state: ScreenState, all: readonly Finding[]): ScreenState {
  // Failures are shown with their stacks.
  const findings = all.filter((one) => one.kind !== "retry loop").toSorted((a, b) => b.at - a.at);
  const isSame =
    findings.length === state.findings.length &&
    findings.every(({ text }, index) => text === state.findings[index]!.text);
  return isSame ? state : { ...state, findings };
}

function afterReconcile(before: ScreenState, reconcile: RecordedReconcile): ScreenState {
  const { controller, request, reconcileID } = reconcile;
  const running = new Map(before.running);
  running.delete(reconcileID);
  const isAgain = before.last?.request === request && before.last.controller === controller;
  const last = { ...reconcile, inARow: isAgain ? before.last.inARow + 1 : 1 };
  return withFailures({ ...before, running, last }, reconcile);
}

function withFailures(state: ScreenState, reconcile: RecordedReconcile): ScreenState {
  const { at, controller, request, outcome, error, stack } = reconcile;
  const reconciles = state.reconciles + 1;
  const key = `${controller} ${request}`;
  const before = state.failures.get(key);
  const hasFailed = outcome === "error" || outcome === "terminal";
  // A conflict is retried at once, and says nothing about what failed before it.
  if (outcome === "conflict" || (!hasFailed && !before)) return { ...state, reconciles };
  const failures = new Map(state.failures);
  failures.delete(key);
  if (hasFailed)
    failures.set(key, { at, controller, request, error, stack, times: (before?.times ?? 0) + 1 });
  return { ...state, reconciles, failures };
}

function afterChange(state: ScreenState, object: ShownObject): ScreenState {
  const key = [object.kind, object.namespace ?? "", object.name].join(" ");
  const objects = new Map(state.objects);
  if (!object.isDeleted) {
    objects.set(key, object);
    return { ...state, objects, lastChanged: key };
  }
  objects.delete(key);
  const keepUnlessDeleted = (other: string | undefined) => (other === key ? undefined : other);
  const { selected, lastChanged } = state;
  return {
    ...state,
    objects,
    selected: keepUnlessDeleted(selected),
    lastChanged: keepUnlessDeleted(lastChanged),
  };
}
