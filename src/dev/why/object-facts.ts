// What a cluster, the operator's log and the record of a session tell about an object. `read-facts.ts` reads it, and
// `explain-object.ts` makes an explanation of it.

import { ApiError } from "@tsbuilder/runtime";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { EventSummary, Recorded } from "../record/recorded.ts";

export interface ObjectFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Such as `statefulsets.apps`. */
  readonly resource: string;
  readonly object: KubernetesObject;
  /** Its owner, the owner of that, and so on. */
  readonly owners: readonly OwnerFact[];
  /** What it owns, each before what that owns. */
  readonly children: readonly ChildFact[];
  /** The Events about the object, and the warnings about what it owns, in the order of time. */
  readonly events: readonly EventFact[];
  /** True if its namespace is being deleted, so that nothing can be created there. */
  readonly isNamespaceEnding: boolean;
  /** The operator's Deployment; undefined if none was found, or it runs on this machine. */
  readonly operator: OperatorFact | undefined;
  /** Lines of the operator's log that warn, in the order of time; undefined if it wasn't read. */
  readonly log: readonly LogFact[] | undefined;
  /** What the operator did, as a session recorded it; undefined without a record. */
  readonly record: readonly Recorded[] | undefined;
  /** What could not be read, and why. */
  readonly unknown: readonly string[];
}

export interface OwnerFact {
  readonly kind: string;
  readonly key: string;
  /** Undefined if it doesn't exist, or has another uid by now. */
  readonly object: KubernetesObject | undefined;
}

export interface ChildFact {
  readonly object: KubernetesObject;
  /** 1 for what the object itself owns. */
  readonly depth: number;
}

export interface EventFact extends Pick<EventSummary, "isWarning" | "reason" | "text" | "times"> {
  /** When it happened last, in milliseconds since 1970. */
  readonly at: number;
  /** The object that it is about: `Pod default/db-0`. */
  readonly about: string;
}

export interface OperatorFact {
  /** The Deployment: `shop-system/shop-controller-manager`. */
  readonly key: string;
  readonly wanted: number;
  readonly ready: number;
  readonly pods: readonly KubernetesObject[];
  readonly leases: readonly LeaseFact[];
}

/** A Lease in the operator's namespace. */
export interface LeaseFact {
  readonly name: string;
  readonly holder: string;
  /** Milliseconds since 1970. */
  readonly renewed: number;
  readonly seconds: number;
  readonly transitions: number;
}

export interface LogFact {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly level: "warn" | "error";
  readonly message: string;
  /** The line for people, with its fields. */
  readonly text: string;
  /** True if it is about the object. */
  readonly isAbout: boolean;
}

/** Collects what can't be found out. */
export class Unknown {
  readonly reasons: string[] = [];

  add(reason: string): void {
    if (!this.reasons.includes(reason)) this.reasons.push(reason);
  }

  /** Returns what `read` returns; if the cluster refuses it, `otherwise`. */
  async read<T>(what: string, read: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.add(`${what}: ${error.isForbidden ? "you may not read them" : error.message}`);
      return otherwise;
    }
  }
}
