import type { Core } from "../../registry/core.ts";
import type { ClusterOptions } from "../../start-cluster.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import type { OpenCluster } from "../open-cluster.ts";
import { putRealObject, served } from "./real-objects.ts";
import { ServiceRelays } from "./service-relays.ts";
import { startControlPlane } from "./start-control-plane.ts";

/** The options that both kinds of clusters support. */
const supported: readonly (keyof ClusterOptions)[] = ["port", "authorization", "resolveService"];

/** Starts a real API server with the API of the embedded cluster. */
export async function startRealCluster(assets: string, options: ClusterOptions): Promise<OpenCluster> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const [unsupported] = given.filter(([name]) => !(supported as readonly string[]).includes(name));
  if (unsupported) throw embeddedOnly(`startTestCluster's option "${unsupported[0]}"`);
  const control = await startControlPlane({ assets, ...options });
  const kubeconfig = control.issue("kubernetes-admin", ["system:masters"]);
  const put = (object: ApiObject): Promise<ApiObject> => putRealObject(kubeconfig, object);
  const relays = options.resolveService && new ServiceRelays(options.resolveService, put);
  return {
    cluster: {
      url: control.url,
      kubeconfig,
      core: unavailableCore(),
      addUser: (name, groups = []) => control.issue(name, groups),
      snapshot: () => {
        throw embeddedOnly("snapshot()");
      },
      snapshotOf: () => {
        throw embeddedOnly("snapshotOf()");
      },
      restore: () => {
        throw embeddedOnly("restore()");
      },
      stop: async () => {
        await relays?.stop();
        await control.stop();
      },
    },
    put: (object) => (relays ? relays.put(object) : put(object)),
    served: (definition) => served(kubeconfig, definition),
  };
}

/** A `core` whose members all throw: a real server has no in-process API. */
function unavailableCore(): Core {
  return new Proxy({} as Core, {
    get: () => {
      throw embeddedOnly("core");
    },
  });
}

function embeddedOnly(what: string): Error {
  return new Error(
    `${what} is for the embedded cluster only, and this is a real API server: run this test without --real`,
  );
}
