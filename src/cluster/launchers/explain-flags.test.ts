import { expect, test } from "vitest";
import { explainFlags, listFlags } from "./explain-flags.ts";
import { parseFlags } from "./parse-flags.ts";

const explain = (...argv: string[]) => explainFlags(parseFlags(argv, listFlags));

test("what envtest passes needs no words", () => {
  expect(explain("--disable-admission-plugins=ServiceAccount", "--allow-privileged=true")).toEqual({
    notes: [],
  });
});

test.each([
  [
    ["--feature-gates=A=true,ShardedListAndWatch=true", "--feature-gates=B=false"],
    ["A=true", "B=false"],
  ],
  [["--runtime-config=apps/v1=true,api/ga=true,apps/v1=false"], ["apps/v1=false"]],
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

test.each([
  [
    "--enable-admission-plugins=PodSecurity,Nonsense",
    'enable-admission-plugins plugin "Nonsense" is unknown',
  ],
  ["--disable-admission-plugins=None", 'disable-admission-plugins plugin "None" is unknown'],
  ["--feature-gates=A", 'invalid value "A" for --feature-gates: write Gate=true or Gate=false'],
])("%s: refused as kube-apiserver does", (flag, refusal) => {
  expect(explain(flag).refusal).toBe(refusal);
});
