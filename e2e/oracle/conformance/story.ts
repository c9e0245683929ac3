/** One request. `{ns}` and `{group}` stand for the story's own namespace and API group, `{2.metadata.uid}` for a field of the second answer. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly accept?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Repeats the request until the answer has this code, or this text in its body or its warnings: a real server reloads
   * admission policies once a second and new kinds every ten, and hears of a namespace's labels a moment later.
   */
  readonly until?: number | string;
}

/** Requests that depend on each other, in a separate namespace. */
export interface Story {
  readonly name: string;
  /** CRDs that are served before the first request. */
  readonly crds?: readonly object[];
  readonly steps: readonly Step[];
  /** True if a real server gets all requests at once: watches that each last seconds and depend on nothing. */
  readonly atOnce?: boolean;
}

export function story(name: string, steps: readonly Step[], crds: readonly object[] = []): Story {
  return { name, steps, crds };
}

export const get = (path: string, accept?: string): Step => ({
  method: "GET",
  path,
  ...(accept && { accept }),
});
export const post = (path: string, body: unknown, more: Partial<Step> = {}): Step => ({
  method: "POST",
  path,
  body,
  ...more,
});
export const put = (path: string, body: unknown, more: Partial<Step> = {}): Step => ({
  method: "PUT",
  path,
  body,
  ...more,
});
export const remove = (path: string, body?: unknown): Step => ({
  method: "DELETE",
  path,
  ...(body !== undefined && { body }),
});

const patch =
  (type: string) =>
  (path: string, body: unknown, more: Partial<Step> = {}): Step => ({
    method: "PATCH",
    path,
    body,
    type,
    ...more,
  });

export const merge = patch("application/merge-patch+json");
export const jsonPatch = patch("application/json-patch+json");
export const strategic = patch("application/strategic-merge-patch+json");
export const apply = patch("application/apply-patch+yaml");
