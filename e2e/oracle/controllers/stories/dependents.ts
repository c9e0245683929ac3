import { merge, post, remove, type Story } from "../story.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const uid = (name: string) => `{uid ${maps}/${name}}`;

interface Reference {
  readonly of: string;
  readonly blocks?: boolean;
  readonly uid?: string;
}

const map = (name: string, owners: readonly Reference[] = [], finalizers: readonly string[] = []) =>
  post(maps, {
    metadata: { name, finalizers, ownerReferences: owners.map(reference) },
  });
const reference = ({ of, blocks, uid: known = uid(of) }: Reference) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: of,
  uid: known,
  ...(blocks !== undefined && { blockOwnerDeletion: blocks }),
});
const end = (name: string, propagationPolicy?: string) =>
  remove(`${maps}/${name}`, propagationPolicy && { propagationPolicy });
const unfinalized = (name: string) => merge(`${maps}/${name}`, { metadata: { finalizers: null } });

const held = ["example.com/hold"];

/** The garbage collector checks an object's owners with a delay; this is longer. */
const rest = 5;

export const dependentStories: readonly Story[] = [
  {
    name: "dependents go after their owner",
    steps: [
      { name: "created", requests: [map("a"), map("b", [{ of: "a" }]), map("c", [{ of: "b" }], held)], rest },
      { name: "owner deleted", requests: [end("a", "Background")], rest },
      { name: "the last finalizer is removed", requests: [unfinalized("c")], rest },
    ],
  },
  {
    name: "an owner waits for dependents that block its deletion",
    steps: [
      {
        name: "created",
        requests: [
          map("a"),
          map("b", [{ of: "a", blocks: true }], held),
          map("c", [{ of: "a", blocks: false }], held),
          map("d", [{ of: "b", blocks: true }]),
        ],
        rest,
      },
      { name: "owner deleted", requests: [end("a", "Foreground")], rest },
      { name: "the blocking dependent's finalizer is removed", requests: [unfinalized("b")], rest },
    ],
  },
  {
    name: "orphans stay",
    steps: [
      {
        name: "created",
        requests: [map("a"), map("b", [{ of: "a", blocks: true }]), map("c", [{ of: "b" }])],
        rest,
      },
      { name: "owner deleted", requests: [end("a", "Orphan")], rest },
    ],
  },
  {
    name: "two that own each other",
    steps: [
      {
        name: "created",
        requests: [
          map("a"),
          map("b", [{ of: "a", blocks: true }]),
          merge(`${maps}/a`, { metadata: { ownerReferences: [reference({ of: "b", blocks: true })] } }),
        ],
        rest,
      },
      { name: "one deleted in the foreground", requests: [end("a", "Foreground")], rest },
    ],
  },
  {
    name: "one of two owners is deleted",
    steps: [
      { name: "created", requests: [map("a"), map("b"), map("c", [{ of: "a" }, { of: "b" }])], rest },
      { name: "the first is deleted", requests: [end("a")], rest },
      { name: "the second is deleted in the foreground", requests: [end("b", "Foreground")], rest },
    ],
  },
  {
    name: "owners that never existed, or are in another namespace",
    steps: [
      {
        name: "created",
        requests: [
          map("a", [{ of: "nobody", uid: "11111111-2222-3333-4444-555555555555" }]),
          map("b", [
            { of: "kube-root-ca.crt", uid: "{uid /api/v1/namespaces/default/configmaps/kube-root-ca.crt}" },
          ]),
          post(maps, {
            metadata: {
              name: "c",
              ownerReferences: [
                {
                  apiVersion: "example.com/v1",
                  kind: "Unserved",
                  name: "x",
                  uid: "11111111-2222-3333-4444-555555555555",
                },
              ],
            },
          }),
          post(maps, {
            metadata: {
              name: "d",
              ownerReferences: [
                { apiVersion: "v1", kind: "Namespace", name: "{ns}", uid: "{uid /api/v1/namespaces/{ns}}" },
              ],
            },
          }),
        ],
        rest,
      },
    ],
  },
  {
    name: "a namespace is emptied",
    steps: [
      { name: "created", requests: [map("a"), map("b", [], held), map("c", [], held)] },
      { name: "deleted", requests: [remove("/api/v1/namespaces/{ns}")], rest: 6 },
      { name: "one finalizer is removed", requests: [unfinalized("b")], rest: 20 },
      { name: "the other finalizer is removed", requests: [unfinalized("c")], rest: 20 },
    ],
  },
  {
    name: "the defaults of every namespace are created again",
    steps: [
      { name: "created" },
      {
        name: "the account is deleted",
        requests: [remove("/api/v1/namespaces/{ns}/serviceaccounts/default"), end("kube-root-ca.crt")],
      },
    ],
  },
];
