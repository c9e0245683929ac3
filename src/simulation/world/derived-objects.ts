import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { LeftOut } from "../contract/index.ts";

/** Keeps what only the cluster's own controllers wrote. */
export class DerivedObjects {
  /** Uids of objects. */
  readonly #objects = new Set<string>();
  /** Uids of objects whose status they wrote last. */
  readonly #statuses = new Set<string>();

  note(by: string, uid: string, { isNew, fields }: { isNew: boolean; fields: readonly string[] }): void {
    if (by !== "cluster") this.#objects.delete(uid);
    else if (isNew) this.#objects.add(uid);
    if (!fields.some((field) => field.startsWith("status"))) return;
    if (by === "cluster") this.#statuses.add(uid);
    else this.#statuses.delete(uid);
  }

  /** Which of these objects they are. */
  among(objects: readonly KubernetesObject[]): LeftOut {
    const chosen = (uids: ReadonlySet<string>): Set<KubernetesObject> =>
      new Set(objects.filter(({ metadata }) => uids.has(metadata.uid ?? "")));
    return { objects: chosen(this.#objects), statuses: chosen(this.#statuses) };
  }
}
