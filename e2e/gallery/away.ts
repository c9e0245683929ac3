/** Names an object in another namespace, where no owner reference helps. */
export function away({ namespace, name }: { namespace?: string | undefined; name?: string | undefined }): {
  namespace: string;
  name: string;
} {
  return { namespace: "store", name: `${namespace}.${name}` };
}
