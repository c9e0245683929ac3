import { describe, expect, test } from "vitest";
import type { FlagDefinitions } from "./manager-args.ts";
import { FlagError, describeFlags, managerFlags, optionsFromArgs, parseFlags } from "./manager-args.ts";
import { Manager } from "./manager.ts";

const flags = {
  name: { type: "string", description: "A name.", default: "x", env: "NAME", aliases: ["old-name"] },
  verbose: { type: "boolean", description: "More words." },
  count: { type: "number", description: "How many." },
  wait: { type: "duration", description: "How long.", default: "5s" },
} as const satisfies FlagDefinitions;

describe("parseFlags()", () => {
  test.each([
    [[], { name: "x", verbose: false, count: undefined, wait: "5s" }],
    [["--name", "a", "--verbose", "--count=3"], { name: "a", verbose: true, count: 3, wait: "5s" }],
    [
      ["-name=a=b", "-verbose=false", "--wait", "1m"],
      { name: "a=b", verbose: false, count: undefined, wait: "1m" },
    ],
    [["--old-name", "-1"], { name: "-1", verbose: false, count: undefined, wait: "5s" }],
    [["--verbose", "--", "--unknown"], { name: "x", verbose: true, count: undefined, wait: "5s" }],
    [["--name="], { name: "", verbose: false, count: undefined, wait: "5s" }],
  ])("parseFlags() reads %j as Go would", (argv, values) => {
    expect(parseFlags(flags, argv, {})).toEqual(values);
  });

  test("parseFlags() reads the environment variable if the flag isn't set", () => {
    expect(parseFlags(flags, [], { NAME: "env" })).toMatchObject({ name: "env" });
    expect(parseFlags(flags, ["--name=flag"], { NAME: "env" })).toMatchObject({ name: "flag" });
  });

  test.each([
    [["--nope"], "there is no flag --nope; --help lists them"],
    [["word"], '"word" is not a flag: flags start with --'],
    [["--name"], "--name needs a value"],
    [["--count", "many"], '--count is a number, not "many"'],
    [["--verbose=perhaps"], '--verbose is true or false, not "perhaps"'],
    [["--wait=soon"], '--wait is a duration such as 30s or 1h30m, not "soon"'],
  ])("parseFlags() rejects %j", (argv, message) => {
    expect(() => parseFlags(flags, argv, {})).toThrow(new FlagError(message));
  });

  test("describeFlags() lists each flag with its default and environment variable", () => {
    expect(describeFlags(flags)).toBe(
      [
        "  --count number\n        How many.",
        "  --name string\n        A name. (default x, or NAME in the environment)",
        "  --verbose\n        More words.",
        "  --wait duration\n        How long. (default 5s)",
      ].join("\n"),
    );
  });
});

describe("Manager.fromArgs()", () => {
  test("custom flags are returned with their types, besides the manager's", () => {
    const manager = Manager.fromArgs({
      name: "test",
      argv: ["--max-databases=7", "--health-probe-bind-address=0", "--zap-log-level=2"],
      env: {},
      flags: {
        "max-databases": { type: "number", description: "Maximum number of databases.", default: 10 },
        region: { type: "string", description: "Where." },
      },
    });
    const max: number = manager.flags["max-databases"];
    const region: string | undefined = manager.flags.region;
    expect([max, region]).toEqual([7, undefined]);
    expect(manager.log.isEnabled("debug")).toBe(true);
  });

  test("--shards shares the objects under the id of the leader election", () => {
    const options = { name: "test", flags: {}, env: {}, leaderElectionId: "da1d9c86.example.com" };
    const argv = ["--shards", "--leader-election-namespace=ops"];
    expect(optionsFromArgs({ ...options, sharding: { by: "namespace" }, argv }).options).toMatchObject({
      sharding: { id: "da1d9c86.example.com", namespace: "ops", by: "namespace" },
      leaderElection: undefined,
    });
    expect(optionsFromArgs({ ...options, argv: [] }).options.sharding).toBeUndefined();
  });

  test.each([
    ["", undefined],
    ["team-a", ["team-a"]],
    ["team-a,team-b", ["team-a", "team-b"]],
    [" team-a , ", ["team-a"]],
  ])("WATCH_NAMESPACE=%j, as OLM fills it, is what to watch", (namespaces, watched) => {
    const options = { name: "test", flags: {}, argv: [], env: { WATCH_NAMESPACE: namespaces } };
    expect(optionsFromArgs(options).options.cache?.namespaces).toEqual(watched);
  });

  test("the certificate of webhooks is where OLM mounts it, if the flag says so", () => {
    const folder = "/tmp/k8s-webhook-server/serving-certs";
    const argv = [`--webhook-cert-path=${folder}`];
    expect(optionsFromArgs({ name: "test", flags: {}, env: {}, argv }).options.webhooks).toMatchObject({
      certPath: folder,
      certName: "tls.crt",
      keyName: "tls.key",
      selfManaged: undefined,
    });
  });

  test("the flags of a kubebuilder deployment are accepted", () => {
    for (const name of [
      "metrics-bind-address",
      "health-probe-bind-address",
      "leader-elect",
      "metrics-secure",
      "webhook-cert-path",
      "webhook-cert-name",
      "webhook-cert-key",
      "metrics-cert-path",
      "metrics-cert-name",
      "metrics-cert-key",
      "kubeconfig",
    ])
      expect(managerFlags).toHaveProperty(name);
  });
});
