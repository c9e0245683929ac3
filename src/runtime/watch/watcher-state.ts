import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ApiError } from "../errors/api-error.ts";
import type { Backoff } from "./backoff.ts";

/**
 * The state of a watcher. It contains no objects and has no side effects: `stepWatcher` takes an event and returns what
 * to do next, so that every fault can be tested without a server.
 */
export type WatcherState = Memory & {
  readonly phase:
    | { readonly name: "new" }
    /** Reading a list. */
    | { readonly name: "listing"; readonly from: ListStart }
    /** Reading the objects that are there through a watch, up to the bookmark that ends them. */
    | { readonly name: "streaming"; readonly opened: number }
    | { readonly name: "watching"; readonly opened: number; readonly frames: number }
    | { readonly name: "waiting"; readonly next: "list" | "watch" };
};

/** What is kept from phase to phase. */
interface Memory {
  /** The version up to which everything is known. */
  readonly version: string | undefined;
  /** Whether the next full read may be a stream. */
  readonly canStream: boolean;
  /** Whether the last full read failed in a way that a plain list at the newest version resolves. */
  readonly mustReadNewest: boolean;
  /** Whether the last stream of existing objects broke: the next full read is a list. */
  readonly mustList: boolean;
  /** How many watches in a row ended within a second, although they delivered events. */
  readonly shortWatches: number;
  readonly backoff: Backoff;
}

/** Where a list starts: at any version, at least at the last known one, or at the newest, paged or unpaged. */
export type ListStart = "any" | "known" | "newest" | "newest-unpaged";

/** One line of a watch. */
export interface WatchFrame {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubernetesObject;
}

/** An event for the watcher. */
export type WatcherEvent =
  | { readonly type: "start" }
  | { readonly type: "listed"; readonly version: string | undefined }
  | { readonly type: "frame"; readonly frame: WatchFrame }
  /** The watch ended without an error of the server: at its time, by a lost connection, or after long silence. */
  | { readonly type: "closed" }
  /** A request was refused, or could not be sent, or its answer made no sense. */
  | { readonly type: "failed"; readonly error: ApiError }
  /** A stream of existing objects says nothing, as from a server that doesn't know the parameter. */
  | { readonly type: "stalled" }
  | { readonly type: "waited" };

/** A command. At most one `list`, `watch` or `wait` is issued, always last. */
export type WatcherCommand =
  | {
      readonly type: "list";
      readonly resourceVersion: string | undefined;
      readonly limit: number | undefined;
    }
  | {
      readonly type: "watch";
      readonly resourceVersion: string | undefined;
      readonly sendInitialEvents: boolean;
      readonly timeoutSeconds: number;
    }
  | { readonly type: "wait"; readonly milliseconds: number }
  /** Objects that follow are a full set; drop what an earlier, unfinished set left. */
  | { readonly type: "begin" }
  | { readonly type: "keep"; readonly object: KubernetesObject; readonly isDeleted: boolean }
  /** The set is complete: what is not in it is gone. */
  | { readonly type: "replace"; readonly version: string | undefined }
  | {
      readonly type: "change";
      readonly change: "ADDED" | "MODIFIED" | "DELETED";
      readonly object: KubernetesObject;
    }
  | { readonly type: "progress"; readonly version: string }
  | { readonly type: "report"; readonly error: ApiError };

/** The inputs of a step. */
export interface WatcherContext {
  /** Milliseconds of a monotonic clock. */
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
}
