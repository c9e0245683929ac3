import { once } from "node:events";
import net from "node:net";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import type * as newest from "@kubernetes/client-node";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { loadFromManager } from "@tsbuilder/runtime/client-node";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { boxImage } from "./box-image.ts";
import { type NodePrograms, prepareNode } from "./node-programs.ts";
import { type RealNode, startNode } from "./start-node.ts";

// The runtime's calls into containers, with a real kubelet and a real container runtime behind the API server.

const programs = prepareNode();
if ("missing" in programs) console.log(`left out: the ways into containers: ${programs.missing}`);
const controlPlanes = "missing" in programs ? [] : (["real", "embedded"] as const);

const key = { namespace: "default", name: "box" };
/** Kubernetes drops the last bytes of a command on a busy node, if it ends before they are sent: kubectl loses them, too. */
const lastBytesArrive = "/bin/busybox sleep 1";
const tenMegabytes = Buffer.alloc(10 * 2 ** 20, "0123456789abcdef!");

describe.each(controlPlanes)("in a container of a node of the %s control plane", (controlPlane) => {
  let node: RealNode;
  let client: ReturnType<typeof createClient>;
  beforeAll(async () => {
    node = await startNode(prepareNode(controlPlane) as NodePrograms);
    client = createClient(await loadConfig({ kubeconfig: node.kubeconfig, env: {} }));
    await runBox(client);
  });
  afterAll(async () => {
    await client?.close();
    await node?.stop();
  });

  const sh = (script: string, options: Parameters<Client["exec"]>[2] = {}) =>
    client.exec(key, ["/bin/busybox", "sh", "-c", script], options);

  test("commands return their output and their exit codes", async () => {
    expect(await sh("echo out; echo err >&2; exit 7")).toEqual({
      exitCode: 7,
      stdout: "out\n",
      stderr: "err\n",
    });
    expect(await sh("true")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(await sh("kill -9 $$")).toMatchObject({ exitCode: 137 });
    expect(await sh("/bin/busybox cat", { stdin: "hello" })).toMatchObject({ exitCode: 0, stdout: "hello" });
    const terminal = await sh("/bin/busybox stty size; /bin/busybox tty", {
      tty: true,
      resize: [{ columns: 132, rows: 50 }],
    });
    expect(terminal).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("/dev/pts/") as string });
  });

  test("ten megabytes go in and out of a command unchanged", async () => {
    const stdout = new PassThrough();
    const [received, { exitCode }] = await Promise.all([
      buffer(stdout),
      sh(`/bin/busybox cat; ${lastBytesArrive}`, { stdin: tenMegabytes, stdout }),
    ]);
    expect(exitCode).toBe(0);
    expect(received.equals(tenMegabytes)).toBe(true);
  });

  test("what can't run is told of in words", async () => {
    await expect(client.exec(key, ["/bin/nothing"])).rejects.toThrow("no such file or directory");
    await expect(client.exec(key, ["ls"], { container: "other" })).rejects.toThrow(
      "container other is not valid",
    );
    await expect(client.exec({ namespace: "default", name: "nobody" }, ["ls"])).rejects.toMatchObject({
      isNotFound: true,
    });
  });

  test("an aborted command, log and port leave no socket", async () => {
    const idle = openSockets();
    const abort = new AbortController();
    const { signal } = abort;
    const stdout = new PassThrough();
    const command = sh("while true; do echo running; /bin/busybox sleep 1; done", { stdout, signal });
    const failed = command.catch((error: unknown) => error);
    await once(stdout, "data");
    const log = client.logs(key, { follow: true, signal })[Symbol.asyncIterator]();
    expect(await log.next()).toMatchObject({ value: "serving" });
    const stream = await client.openPort(key, 8080, { signal });
    expect(openSockets()).toBeGreaterThan(idle);
    const broken = once(stream, "error");
    abort.abort(new Error("enough"));
    expect(await failed).toMatchObject({ message: "enough" });
    await expect(log.next()).rejects.toThrow("enough");
    expect(await broken).toMatchObject([{ message: "enough" }]);
    await eventually(() => expect(openSockets()).toBeLessThanOrEqual(idle));
  });

  test("logs are read by lines, and followed", async () => {
    const [line] = (await client.logs(key, { timestamps: true, since: "1h" }).text()).split("\n");
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+ serving$/);
    const lines: string[] = [];
    for await (const each of client.logs(key, { follow: true })) {
      lines.push(each);
      if (lines.length === 1) await sh("echo more > /proc/1/fd/1");
      if (lines.at(-1) === "more") break;
    }
    expect(lines[0]).toBe("serving");
    expect(await client.logs(key, { tail: 1 }).text()).toBe("more\n");
  });

  test("ten megabytes go both ways through a port, and its end arrives", async () => {
    const stream = await client.openPort(key, 9000);
    stream.write(tenMegabytes);
    const received: Buffer[] = [];
    for (let size = 0; size < tenMegabytes.length;) {
      const [chunk] = (await once(stream, "data")) as [Buffer];
      received.push(chunk);
      size += chunk.length;
    }
    expect(Buffer.concat(received).equals(tenMegabytes)).toBe(true);
    stream.destroy();
    const page = await client.openPort(key, 8080);
    page.write("GET / HTTP/1.0\r\n\r\n");
    expect((await buffer(page)).toString()).toMatch(/box\n$/);
  });

  test("@kubernetes/client-node runs commands beside ours", async () => {
    const isOld = Number(process.versions.node.split(".")[0]) < 22;
    const clientNode = (await import(isOld ? "client-node-1" : "@kubernetes/client-node")) as typeof newest;
    const config = await loadConfig({ kubeconfig: node.kubeconfig, env: {} });
    const kubeConfig = await loadFromManager(new clientNode.KubeConfig(), { config: async () => config });
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const words = [
      "/bin/busybox",
      "sh",
      "-c",
      `/bin/busybox head -c ${tenMegabytes.length}; ${lastBytesArrive}; exit 7`,
    ];
    const ended = new Promise((resolve, reject) => {
      new clientNode.Exec(kubeConfig)
        .exec("default", "box", "box", words, stdout, stderr, stdin, false, (status) => {
          stdout.end();
          resolve(status);
        })
        .catch(reject);
    });
    stdin.write(tenMegabytes);
    expect((await buffer(stdout)).equals(tenMegabytes)).toBe(true);
    expect(await ended).toMatchObject({ reason: "NonZeroExitCode", details: { causes: [{ message: "7" }] } });
  });

  test("a forwarded port is one of this machine, until it is closed", async () => {
    const forward = await client.portForward(key, 8080);
    const url = `http://${forward.host}:${forward.port}/`;
    const pages = await Promise.all([1, 2, 3].map(async () => (await fetch(url)).text()));
    expect(pages).toEqual(["box\n", "box\n", "box\n"]);
    await forward.close();
    const [error] = (await once(net.connect(forward.port, forward.host), "error")) as [Error];
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
    const errors: Error[] = [];
    const dead = await client.portForward(key, 1, { onError: (failure) => errors.push(failure) });
    await once(net.connect(dead.port, dead.host), "close");
    await eventually(() => expect(errors[0]?.message).toContain("refused"));
    await dead.close();
  });
});

/** The sockets of this process that are in use, at both ends of the door to the API server. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
}

/** A pod that serves its name, and echoes what is sent to another port. */
async function runBox(client: Client): Promise<void> {
  const script = `
    /bin/busybox mkdir /www
    echo box > /www/index.html
    echo serving
    /bin/busybox httpd -p 8080 -h /www
    exec /bin/busybox nc -ll -p 9000 -e /bin/busybox cat`;
  await client.create(Pod, {
    metadata: key,
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: "box",
          image: boxImage,
          imagePullPolicy: "Never",
          command: ["/bin/busybox", "sh", "-c", script],
        },
      ],
    },
  });
  await eventually(async () => expect((await client.get(Pod, key)).status?.phase).toBe("Running"));
}
