import { expect, test } from "vitest";
import { explainFlags, listFlags, optionsOf } from "./kube-apiserver.ts";
import { parseFlags } from "./command-line.ts";

const explain = (...argv: string[]) => explainFlags(parseFlags(argv, listFlags));

test("what envtest passes needs no words", () => {
  expect(explain("--disable-admission-plugins=ServiceAccount", "--allow-privileged=true")).toEqual({
    notes: [],
  });
});

test.each(["1", "t", "T", "true", "TRUE", "True"])(
  "a gate may be %s, and one that is on needs no words",
  (value) => {
    expect(explain(`--feature-gates=ShardedListAndWatch=${value}`)).toEqual({ notes: [] });
  },
);

test.each(["0", "f", "F", "false", "FALSE", "False"])("a gate may be %s", (value) => {
  const { notes, refusal } = explain(`--feature-gates=ShardedListAndWatch = ${value}`);
  expect({ refusal, count: notes.length }).toEqual({ refusal: undefined, count: 1 });
});

test.each([
  [
    ["--feature-gates=A=true,ShardedListAndWatch=true", "--feature-gates=B=false"],
    ["A=true", "B=false"],
  ],
  [["--runtime-config=apps/v1=true,api/ga=T,apps/v1=false,batch/v1=0"], ["apps/v1=false", "batch/v1=0"]],
  [
    ["--runtime-config", "api/all=true,storage.k8s.io/v1alpha1"],
    ["api/all=true", "storage.k8s.io/v1alpha1"],
  ],
  [["--enable-admission-plugins=PodSecurity,AlwaysPullImages"], ["AlwaysPullImages"]],
  [["--disable-admission-plugins=LimitRanger,DefaultIngressClass"], ["LimitRanger"]],
])("%j: tells of what changes nothing", (argv, entries) => {
  const { notes, refusal } = explain(...argv);
  expect(refusal).toBeUndefined();
  expect(notes.map((note) => /=(\S+) changes nothing: /u.exec(note)?.[1])).toEqual(entries);
});

test("the release is that of --emulated-version, which must be one of ours", () => {
  expect(explain("--emulated-version=kube=1.37")).toEqual({ notes: [] });
  const options = optionsOf(parseFlags(["--emulated-version=kube=1.37"], listFlags));
  expect(options.kubernetesVersion).toBe("1.37");
  expect(explain("--emulated-version=1.9").refusal).toMatch(
    /^the embedded server can't emulate "1\.9": choose /u,
  );
});

test("what no user can see changes nothing, and is named", () => {
  const { notes, refusal } = explain(
    "--max-requests-inflight=5",
    "--kubelet-preferred-address-types=Hostname",
    "-v=4",
  );
  expect({ notes, refusal }).toEqual({
    notes: ["--max-requests-inflight=5 changes nothing: the embedded server has no such setting"],
    refusal: undefined,
  });
});

test("how kubelets are reached may be said without a certificate for it", () => {
  const flags = parseFlags(["--kubelet-preferred-address-types=InternalIP,Hostname"], listFlags);
  expect(optionsOf(flags).kubelets).toEqual({ addressTypes: ["InternalIP", "Hostname"] });
});

test.each(["--anonymous-auth", "--anonymous-auth=1"])("%s is what the server does", (flag) => {
  expect(explain(flag)).toEqual({ notes: [] });
});

test.each([
  ["--authorization-mode=Node,Webhook", "the embedded server can't follow --authorization-mode=Webhook"],
  ["--oidc-issuer-url=https://a", "the embedded server can't follow --oidc-issuer-url"],
  ["--anonymous-auth=false", "the embedded server can't follow --anonymous-auth"],
  ["--audit-log-path=/a", "the embedded server can't follow --audit-log-path"],
  [
    "--enable-admission-plugins=PodSecurity,Nonsense",
    'enable-admission-plugins plugin "Nonsense" is unknown',
  ],
  ["--disable-admission-plugins=None", 'disable-admission-plugins plugin "None" is unknown'],
  ["--feature-gates=A=tRUE", 'invalid value "A=tRUE" for --feature-gates: write Gate=true or Gate=false'],
  ["--feature-gates=A", 'invalid value "A" for --feature-gates: write Gate=true or Gate=false'],
])("%s is refused", (flag, refusal) => {
  expect(explain(flag).refusal).toBe(refusal);
});
