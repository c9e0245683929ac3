import type { ClusterWrite } from "@tsbuilder/cluster";
import { isObject } from "@tsbuilder/apimachinery/json";
import { leases } from "../record/session-recording.ts";

/** A Lease by which an operator leads. */
export interface HeldLease {
  readonly namespace: string;
  readonly name: string;
}

type LeaseWrite = Pick<ClusterWrite, "type" | "resource" | "key" | "by" | "bytes">;

/** Finds the Lease that the operator holds, from the writes of the cluster. */
export class OperatorLeases {
  readonly #isOperator: (user: string) => boolean;
  readonly #held = new Map<string, HeldLease>();
  #hasLed = false;

  constructor(isOperator: (user: string) => boolean) {
    this.#isOperator = isOperator;
  }

  /** Follows a write of any object. A write of another user means that the operator does not hold the Lease any more. */
  observe({ type, resource, key, by, bytes }: LeaseWrite): void {
    if (resource !== leases) return;
    if (type !== "DELETED" && by && this.#isOperator(by.user) && isHeld(JSON.parse(bytes.toString()))) {
      const [namespace = "", name = ""] = key.split("/");
      this.#held.set(key, { namespace, name });
      this.#hasLed = true;
    } else this.#held.delete(key);
  }

  /** The Lease that the operator holds, unless it has ended without releasing it. */
  get held(): HeldLease | undefined {
    return this.#held.values().next().value;
  }

  /** True if the operator has held a Lease in this session. */
  get hasLed(): boolean {
    return this.#hasLed;
  }
}

/** The label of Leases by which shards divide objects among them; they are not for leader election. */
const shardsLabel = "tsbuilder.dev/shards";

/** Returns true if a Lease has a holder, and is for leader election. */
function isHeld(lease: unknown): boolean {
  if (!isObject(lease) || !isObject(lease["spec"]) || !isObject(lease["metadata"])) return false;
  const { labels } = lease["metadata"];
  const { holderIdentity } = lease["spec"];
  const isForShards = isObject(labels) && shardsLabel in labels;
  return typeof holderIdentity === "string" && holderIdentity !== "" && !isForShards;
}
