/**
 * One half of a comparison; the other is controller-runtime/main.go, which does the same and reads the same commands.
 * `WATCH=counters`: the command `round <n>` makes it set every `status.count` to `spec.count + n`, and report when all
 * are written. `WATCH=pods`: it only caches pods, and `collect` runs the garbage collector.
 */
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  type CustomResource,
  defineKind,
  Manager,
  RequestChannel,
  type NamespacedName,
} from "@tsbuilder/runtime";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";

interface Counter extends CustomResource<{ count: number }, { count?: number }> {}
const Counter = defineKind<Counter>(
  { group: "bench.example.com", version: "v1" },
  { kind: "Counter", plural: "counters" },
);

const folder = process.env["RECORDER"] ?? "";
const recorder = folder === "" ? [] : ["--recorder-bind-address=127.0.0.1:0", `--recorder-folder=${folder}`];
const namespaces = process.env["NAMESPACE"] ? [`--watch-namespaces=${process.env["NAMESPACE"]}`] : [];
const manager = Manager.fromArgs({
  name: "bench",
  argv: ["--health-probe-bind-address=0", ...recorder, ...namespaces],
});
const say = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
const commands: { [name: string]: (argument: string) => void | Promise<void> } = {
  collect() {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let round = 0; round < 3; round++) collect();
    say({ collected: true });
  },
};
if (process.env["WATCH"] === "pods") holdPods();
else countRounds();
createInterface(process.stdin).on("line", (line) => {
  const [command = "", argument = ""] = line.split(" ");
  void commands[command]?.(argument);
});
await manager.start();
process.stdin.destroy();

function holdPods(): void {
  manager.controllerFor(Pod).complete({ reconcile: async () => undefined });
  void manager.started.then(() => say({ started: true }));
}

function countRounds(): void {
  const objects = Number(process.env["OBJECTS"]);
  const requests = new RequestChannel<NamespacedName>();
  let round = 0;
  let left = objects;
  let cpu = process.cpuUsage();
  let startedAt = performance.now();
  commands["round"] = async (argument) => {
    const counters = await manager.client.list(Counter);
    round = Number(argument);
    left = counters.length;
    cpu = process.cpuUsage();
    startedAt = performance.now();
    for (const { metadata } of counters)
      requests.send({ namespace: metadata.namespace, name: metadata.name });
  };
  manager
    .controllerFor(Counter)
    .watchesSource(requests)
    .withOptions({ maxConcurrentReconciles: Number(process.env["WORKERS"]) })
    .complete({
      async reconcile(request) {
        const counter = await manager.client.find(Counter, request);
        if (!counter) return;
        const count = counter.spec.count + round;
        if (counter.status?.count === count) return;
        await manager.client.patchStatus(Counter, counter, { count });
        if (left-- === objects && round === 0) say({ first: true });
        if (left !== 0) return;
        const { user, system } = process.cpuUsage(cpu);
        say({ round, seconds: (performance.now() - startedAt) / 1000, cpu: (user + system) / 1e6 });
      },
    });
}
