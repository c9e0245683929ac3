import { type Client, interceptClient } from "@tsbuilder/runtime";
import type { Scenario } from "../contract/index.ts";
import type { Replica } from "./replica.ts";
import type { World } from "./world.ts";

type StandIn = NonNullable<Scenario["exec"]>;

/** A client whose commands in containers are answered by a stand-in: the way takes as long as that to the API server. */
export function answerCommands(client: Client, standIn: StandIn, world: World, replica: Replica): Client {
  return interceptClient(client, {
    exec: async ({ args }) => {
      const [ref, command, options = {}] = args as unknown as Parameters<Client["exec"]>;
      const { namespace = "default", name: pod = "" } = "metadata" in ref ? ref.metadata : ref;
      await world.wait(replica.latency());
      const result = await standIn({ namespace, pod, command, options });
      await replica.arrival();
      return { exitCode: 0, stdout: "", stderr: "", ...result };
    },
  });
}

const streams = /\/pods\/[^/]+\/(attach|exec|portforward)(?:\?|$)/;

/** What a request would open in a pod: no simulation has containers. */
export function streamTo(path: string): string | undefined {
  return streams.exec(path)?.[1];
}
