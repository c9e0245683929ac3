/** One request. `{ns}` and `{group}` stand for the story's own namespace and API group, `{2.metadata.uid}` for a field of the second answer. */
export interface Step {
    readonly method: string;
    readonly path: string;
    readonly type?: string;
    readonly accept?: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
}
/** Requests that follow on each other, in a namespace of their own. */
export interface Story {
    readonly name: string;
    /** CRDs that are served before the first request. */
    readonly crds?: readonly object[];
    readonly steps: readonly Step[];
}
export declare function story(name: string, steps: readonly Step[], crds?: readonly object[]): Story;
export declare const get: (path: string, accept?: string) => Step;
export declare const post: (path: string, body: unknown, more?: Partial<Step>) => Step;
export declare const put: (path: string, body: unknown, more?: Partial<Step>) => Step;
export declare const remove: (path: string, body?: unknown) => Step;
export declare const merge: (path: string, body: unknown, more?: Partial<Step>) => Step;
export declare const jsonPatch: (path: string, body: unknown, more?: Partial<Step>) => Step;
export declare const strategic: (path: string, body: unknown, more?: Partial<Step>) => Step;
export declare const apply: (path: string, body: unknown, more?: Partial<Step>) => Step;
