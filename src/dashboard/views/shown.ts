import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Feed } from "../feed/feed.ts";
import type { Health, Problem } from "../history/problems.ts";

/** The views of the page, and the tabs of an object. */
export const views = ["now", "objects", "timeline", "numbers", "log"] as const;
export const tabs = ["state", "changes", "fields", "reconciles", "webhooks", "events", "edit"] as const;
export type View = (typeof views)[number];
export type Tab = (typeof tabs)[number];

/** The choices of the user: which part of the record the page shows. */
export interface Shown {
  readonly view: View;
  /** The chosen object. */
  readonly place: string | undefined;
  readonly tab: Tab;
  /** The chosen reconcile. */
  readonly reconcileID: string | undefined;
  /** The uid of the chosen call of a webhook. */
  readonly callID: string | undefined;
  /** The moment that is shown, in milliseconds since 1970; undefined follows the session. */
  readonly moment: number | undefined;
  /** The stretch of time that the timeline and the numbers draw; undefined is the whole session. */
  readonly stretch: { readonly from: number; readonly to: number } | undefined;
  /** Objects, reconciles and lines without these words are hidden. */
  readonly filter: string;
  /** Shows also objects that nobody has changed. */
  readonly everything: boolean;
}

export const initialChoices: Shown = {
  view: "now",
  place: undefined,
  tab: "state",
  reconcileID: undefined,
  callID: undefined,
  moment: undefined,
  stretch: undefined,
  filter: "",
  everything: false,
};

/** The context of every view. */
export interface PageContext {
  readonly feed: Feed;
  readonly shown: Shown;
  /** The moment that is shown: the chosen one, or the last one. */
  readonly moment: number;
  readonly health: Health;
  readonly problems: readonly Problem[];
  /** The object that is shown: the chosen one, else the worst of the project's. */
  readonly place: string | undefined;
  /** Changes choices. `isClick` makes the change a step for Back even if a view, an object and the like stay the same. */
  readonly show: (change: Partial<Shown>, isClick?: boolean) => void;
}

export const Context = createContext<PageContext | undefined>(undefined);

/** Returns the context of the page; for components below `Page`. */
export function usePage(): PageContext {
  return useContext(Context)!;
}
