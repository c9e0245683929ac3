import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Ref } from "./ref.ts";

interface Planned {
  /** Milliseconds to wait before it. Default: the seed decides. */
  readonly after?: number;
  /** What it is for, in words. */
  readonly why?: string;
  /** The schema allows it, but it can't work, such as a name that no image has. A later step corrects it. */
  readonly strange?: boolean;
}

/** What a user does. Data only, so that a step can be left out, and written into a test. */
export type Step =
  /** Creates the object, or replaces everything but metadata and status: a field that is omitted is removed. */
  | (Planned & { readonly do: "apply"; readonly object: KubernetesObject })
  /** Merges into the status, as another controller would. */
  | (Planned & { readonly do: "status"; readonly target: Ref; readonly status: object })
  | (Planned & { readonly do: "patch"; readonly target: Ref; readonly merge: object })
  | (Planned & { readonly do: "delete"; readonly target: Ref })
  /** Waits until the operators rest. */
  | { readonly do: "settle" };
