import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

/** Counts the changes that processes make. */
export class ChangeCount {
  readonly #objects = new Map<string, number>();
  all = 0;
  /** Of the object that they changed most often. */
  ofOneObject = 0;

  /** Objects with generated names count as one: their number may be what has no end. */
  add(resource: string, { metadata: { namespace = "", name = "", generateName } }: KubernetesObject): void {
    const key = `${resource} ${namespace}/${generateName ?? name}`;
    const count = (this.#objects.get(key) ?? 0) + 1;
    this.#objects.set(key, count);
    this.ofOneObject = Math.max(this.ofOneObject, count);
    this.all++;
  }

  clear(): void {
    this.#objects.clear();
    this.all = 0;
    this.ofOneObject = 0;
  }
}
