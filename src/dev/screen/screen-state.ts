import type { DevEvent, ShownObject } from "../dev-event.ts";
import { shortenLogLine } from "./shorten-log-line.ts";

/** Everything that the screen shows, apart from how large it is. */
export interface ScreenState {
  readonly title: string;
  /** Missing until the cluster answers. */
  readonly cluster: { readonly url: string; readonly kubeconfig: string } | undefined;
  /** The project's objects by kind, namespace and name. */
  readonly objects: ReadonlyMap<string, ShownObject>;
  /** The key of the object that `d` shows; the one that changed last unless somebody chose. */
  readonly chosen: string | undefined;
  readonly lastChanged: string | undefined;
  /** What the operator printed last, oldest first. */
  readonly log: readonly string[];
  /** What dev did last. */
  readonly note: string;
  /** What is to be mended, until an edit is taken up. */
  readonly problem: string | undefined;
  readonly isDiffShown: boolean;
}

/** No screen is higher than this, so older lines are never seen again. */
const KEPT_LINES = 500;

/** A session that has yet to start. */
export function emptyScreen(title: string): ScreenState {
  return {
    title,
    cluster: undefined,
    objects: new Map(),
    chosen: undefined,
    lastChanged: undefined,
    log: [],
    note: "starting the cluster and the operator",
    problem: undefined,
    isDiffShown: false,
  };
}

/** What the screen shows after an event. */
export function afterEvent(
  state: ScreenState,
  event: DevEvent,
  describeError: (error: unknown) => string,
): ScreenState {
  switch (event.type) {
    case "info":
      return { ...state, note: event.text, problem: undefined };
    case "operator":
      return { ...state, log: [...state.log, shortenLogLine(event.line)].slice(-KEPT_LINES) };
    case "error":
      return { ...state, problem: describeError(event.error) };
    case "object":
      return afterChange(state, event.object);
  }
}

/** Chooses the next or the previous object; beyond the ends nothing changes. */
export function afterMove(state: ScreenState, step: 1 | -1): ScreenState {
  const keys = [...state.objects.keys()].toSorted();
  const from = shownKey(state);
  const to = from === undefined ? keys[0] : keys[keys.indexOf(from) + step];
  return to === undefined ? state : { ...state, chosen: to };
}

/** The object that is marked, and that `d` shows. */
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
