import type { InProcessCluster } from "../../../src/cluster/start-in-process.ts";
import { startInProcess } from "../../../src/cluster/start-in-process.ts";
import type { ApiObject } from "../../../src/cluster/contract/api-object.ts";
import { serveRelease } from "../../../src/cluster/contract/version.ts";
import type { Resource, WriteRequest } from "../../../src/cluster/registry/resource.ts";
import { UnforeseenErrors } from "../../support/unforeseen-errors.ts";
import { maskAnswer, type MaskedAnswer } from "../conformance/mask-answer.ts";
import { kubernetesVersion } from "../real/build-kubernetes.ts";
import { type CustomResourceDefinition, crdPath } from "./custom-resources.ts";
import type { JudgedCase } from "./judge.ts";
import type { RecordedObject } from "./record.ts";

/** The answer of the embedded server, and the errors that it did not foresee. */
export interface Played {
  readonly answer: MaskedAnswer;
  readonly unforeseen: readonly unknown[];
}

/** Plays cases on an embedded server, which has the namespaces that the cases name. */
export class Player {
  readonly #errors: unknown[];
  readonly #cluster: InProcessCluster;

  private constructor(cluster: InProcessCluster, errors: unknown[]) {
    this.#cluster = cluster;
    this.#errors = errors;
  }

  static async start(
    namespaces: readonly string[],
    crds: readonly CustomResourceDefinition[] = [],
  ): Promise<Player> {
    serveRelease(kubernetesVersion);
    const unforeseen = new UnforeseenErrors();
    const tokens = { secret: { name: "admin", groups: ["system:masters"] } };
    const cluster = await startInProcess({ tokens, onError: unforeseen.add });
    const player = new Player(cluster, unforeseen.all);
    for (const name of namespaces) await player.#send("POST", "/api/v1/namespaces", { metadata: { name } });
    for (const crd of crds) await player.#send("POST", crdPath, crd);
    return player;
  }

  stop(): Promise<void> {
    return this.#cluster.stop();
  }

  /** The answer to a case. What the real server had stored before is stored here, too. */
  async play({ request, stored }: JudgedCase): Promise<Played> {
    this.#errors.length = 0;
    const { method, path, body } = request;
    if (!stored) return this.#played(await this.#send(method, path, body));
    const { core } = this.#cluster;
    const [, resource] = this.#find(path);
    await resource.load?.();
    const { namespace = "", name = "" } = stored.metadata;
    const key = resource.namespaced ? `${namespace}/${name}` : name;
    const existing = resource.collection.get(key);
    const before = structuredClone(stored) as unknown as ApiObject;
    // The store holds objects as the strategy decodes them: without nulls.
    const [, version] = /^\/(?:api|apis\/[^/]+)\/([^/]+)/u.exec(path)!;
    const write = { version, subresource: "", verb: "update", now: Date.now(), dryRun: true, resource };
    resource.strategy.default?.(before, write as unknown as WriteRequest);
    const converted = await resource.convert(before, resource.storageVersion);
    const entry = core.store.put(resource.collection, key, converted);
    try {
      let answer = await this.#update(method, path, body, entry.revision);
      // The server itself writes the status of a CRD in the meantime.
      if (answer.code === 409)
        answer = await this.#update(method, path, body, resource.collection.get(key)!.revision);
      return this.#played(answer);
    } finally {
      const last = resource.collection.get(key)!;
      if (existing) core.store.put(resource.collection, key, existing.object);
      else core.store.remove(resource.collection, last, last.object);
    }
  }

  #update(method: string, path: string, body: RecordedObject, revision: number): Promise<MaskedAnswer> {
    const metadata = { ...body.metadata, resourceVersion: String(revision) };
    return this.#send(method, path, { ...body, metadata });
  }

  #played(answer: MaskedAnswer): Played {
    return { answer, unforeseen: [...this.#errors] };
  }

  #find(path: string): [string, Resource] {
    const { groups } =
      /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+(?:\/namespaces\/[^/]+)?\/(?<plural>[^/?]+)/u.exec(path)!;
    const { group = "", plural = "" } = groups!;
    const isNamespace = /^\/api\/v1\/namespaces\/[^/?]+(?:\/(?:status|finalize))?\?/u.test(path);
    const name = isNamespace ? "namespaces" : plural;
    const resource = this.#cluster.core.registry
      .all()
      .find((each) => each.group === group && each.plural === name);
    if (!resource) throw new Error(`no resource for ${path}`);
    return [name, resource];
  }

  async #send(method: string, path: string, body: object): Promise<MaskedAnswer> {
    const headers = {
      authorization: "Bearer secret",
      "content-type": "application/json",
      "user-agent": "cases",
    };
    const response = await this.#cluster.handle({ method, path, headers, body: JSON.stringify(body) });
    const text = response.body.toString();
    const received = {
      code: response.status,
      headers: response.headers,
      bytes: response.body,
      text,
      // What isn't served is no Status.
      body: text.startsWith("{") ? (JSON.parse(text) as unknown) : undefined,
    };
    return maskAnswer(received, { ns: "no-such-namespace", group: "no.such.group" });
  }
}
