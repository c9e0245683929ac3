import { post, type Step } from "../story.ts";

export type Fields = Readonly<Record<string, unknown>>;

export const pods = "/api/v1/namespaces/{ns}/pods";
export const container = { name: "c", image: "i:1" };

/** Creates pods that differ in some fields of their spec. */
export function specs(...cases: readonly Fields[]): Step[] {
  return cases.map((fields, index) =>
    post(pods, { metadata: { name: `p${index}` }, spec: { containers: [container], ...fields } }),
  );
}

/** Creates pods that differ in some fields of their one container, in addition to the fields of the pod. */
export function containers(cases: readonly Fields[], spec: Fields = {}): Step[] {
  return specs(...cases.map((fields) => ({ ...spec, containers: [{ ...container, ...fields }] })));
}

/** Creates pods with one volume each that is not mounted. */
export function volumes(...cases: readonly Fields[]): Step[] {
  return specs(...cases.map((source) => ({ volumes: [{ name: "v", ...source }] })));
}
