import type { DevEvent, ShownObject } from "../dev-event.ts";
import type { RecordedSample } from "../record/recorded-sample.ts";
import { shortenLogLine } from "./shorten-log-line.ts";

/** Everything that the screen shows, regardless of its size. */
export interface ScreenState {
  readonly title: string;
  /** Undefined until the cluster is ready. */
  readonly cluster: { readonly url: string; readonly kubeconfig: string } | undefined;
  /** The project's objects by kind, namespace and name. */
  readonly objects: ReadonlyMap<string, ShownObject>;
  /** The key of the object that `d` shows. Default: the one that changed last. */
  readonly chosen: string | undefined;
  readonly lastChanged: string | undefined;
  /** The operator's latest output, oldest line first. */
  readonly log: readonly string[];
  /** How the operator's process does. */
  readonly sample: RecordedSample | undefined;
  /** The latest action of dev. */
  readonly note: string;
  /** The errors to fix; cleared by the next successful reload. */
  readonly problem: string | undefined;
  readonly isDiffShown: boolean;
}

/** More lines than any screen has rows. */
const keptLines = 500;

/** The state before a session has started. */
export function emptyScreen(title: string): ScreenState {
  return {
    title,
    cluster: undefined,
    objects: new Map(),
    chosen: undefined,
    lastChanged: undefined,
    log: [],
    sample: undefined,
    note: "starting the cluster and the operator",
    problem: undefined,
    isDiffShown: false,
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
      return { ...state, note: event.text, problem: undefined };
    case "operator":
      return { ...state, log: [...state.log, shortenLogLine(event.line)].slice(-keptLines) };
    case "sample":
      return { ...state, sample: event.sample };
    case "error":
      return { ...state, problem: describeError(event.error) };
    case "object":
      return afterChange(state, event.object);
  }
}

/** Selects the next or the previous object, up to the first and the last. */
export function afterMove(state: ScreenState, step: 1 | -1): ScreenState {
  const keys = [...state.objects.keys()].toSorted();
  const from = shownKey(state);
  const to = from === undefined ? keys[0] : keys[keys.indexOf(from) + step];
  return to === undefined ? state : { ...state, chosen: to };
}

/** The selected object, which `d` shows. */
export function shownKey({ chosen, lastChanged }: ScreenState): string | undefined {
  return chosen ?? lastChanged;
}

function afterChange(state: ScreenState, object: ShownObject): ScreenState {
  const key = [object.kind, object.namespace ?? "", object.name].join(" ");
  const objects = new Map(state.objects);
  if (!object.isDeleted) {
    objects.set(key, object);
    return { ...state, objects, lastChanged: key };
  }
  objects.delete(key);
  const unless = (shown: string | undefined) => (shown === key ? undefined : shown);
  return { ...state, objects, chosen: unless(state.chosen), lastChanged: unless(state.lastChanged) };
}
