import { get, merge, post, type Step } from "../../story.ts";

/** The Accept header with which kubectl requests columns. */
export const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** The path of namespaced kinds of the core group. */
export const core = "/api/v1/namespaces/{ns}";

interface Named {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** An object with a name. */
export function named<T extends object>(name: string, fields: T): T & { metadata: Named } {
  return { metadata: { name }, ...fields };
}

/** Creates an object, writes its status if there is one, and reads it as kubectl prints it. */
export function showTable(path: string, body: { metadata: Named } & object, status?: object): Step[] {
  const at = `${path}/${body.metadata.name}`;
  return [
    post(path, body),
    ...(status ? [merge(`${at}/status`, { status })] : []),
    get(`${at}?includeObject=None`, asTable),
  ];
}
