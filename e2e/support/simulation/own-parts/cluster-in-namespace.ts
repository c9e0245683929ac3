import { pipeline, type Readable, Transform } from "node:stream";
import type { ClusterConfig } from "@tsbuilder/runtime";

type Carrier = NonNullable<ClusterConfig["carry"]>;

/**
 * Another cluster, for an operator: a namespace of the same one, which it shows as `default`, so that objects in both have
 * the same names. What happens to the operator's connections happens to both.
 */
export function clusterIn(namespace: string, { carry, ...config }: ClusterConfig): ClusterConfig {
  const inward = (text: string) => text.replaceAll('"namespace":"default"', `"namespace":"${namespace}"`);
  const outward = (text: string) => text.replaceAll(`"namespace":"${namespace}"`, '"namespace":"default"');
  const carried: Carrier = async (request, options) => {
    const path = request.path.replace("/namespaces/default/", `/namespaces/${namespace}/`);
    const body = typeof request.body === "string" ? inward(request.body) : request.body;
    const answer = await carry!({ ...request, path, body }, options);
    const stream = answer.stream && shown(answer.stream, outward);
    return { ...answer, text: outward(answer.text), stream };
  };
  return { ...config, carry: carried };
}

/** Its chunks are whole lines, or a whole answer. */
function shown(stream: Readable, outward: (text: string) => string): Readable {
  const transform = new Transform({
    transform: (chunk: Buffer, _, done) => done(null, outward(chunk.toString("utf8"))),
  });
  return pipeline(stream, transform, () => {});
}
