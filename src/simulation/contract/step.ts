import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Ref } from "./ref.ts";

/** Milliseconds to wait before a step. Default: the seed decides. */
interface Timed {
  readonly after?: number;
}

/** What a user does. Data only, so that a step can be left out, and written into a test. */
export type Step =
  /** Creates the object, or replaces everything but metadata and status: a field that is omitted is removed. */
  | (Timed & { readonly do: "apply"; readonly object: KubernetesObject })
  /** Merges into the status, as another controller would. */
  | (Timed & { readonly do: "status"; readonly target: Ref; readonly status: object })
  | (Timed & { readonly do: "patch"; readonly target: Ref; readonly merge: object })
  | (Timed & { readonly do: "delete"; readonly target: Ref })
  /** Waits until the operators rest. */
  | { readonly do: "settle" };
