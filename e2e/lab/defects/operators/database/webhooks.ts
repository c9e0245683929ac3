import type { Conversion, Defaulter, Manager, Validator } from "@tsbuilder/runtime";
import { User } from "./types.ts";
import { User as UserV1beta1 } from "./types-v1beta1.ts";

// +kubebuilder:webhook:path=/mutate-db-example-com-v1-user,mutating=true,failurePolicy=fail,sideEffects=None,groups=db.example.com,resources=users,verbs=create;update,versions=v1,name=muser.v1.db.example.com,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate-db-example-com-v1-user,mutating=false,failurePolicy=fail,sideEffects=None,groups=db.example.com,resources=users,verbs=create;update,versions=v1,name=vuser.v1.db.example.com,admissionReviewVersions=v1

/** Names in v1 what v1beta1 has no field for. */
const keptLogin = "db.example.com/login";

export const defaulter: Defaulter<User> = {
  default({ metadata, spec }) {
    if (metadata.name !== undefined) spec.login ??= metadata.name.slice(0, 60);
  },
};

export const validator: Validator<User> = {
  validateCreate: (user) => checkCopies(user),
  validateUpdate(user, old) {
    const { login } = user.spec;
    if (old.spec.login === login || old.spec.login === undefined) return checkCopies(user);
    return [{ field: "spec.login", value: login, message: "must not change" }, ...checkCopies(user)];
  },
};

function checkCopies({ metadata, spec }: User) {
  const index = spec.copies?.indexOf(metadata.namespace ?? "") ?? -1;
  const message = "is the namespace of the User, which has the Secret";
  return index < 0 ? [] : [{ field: `spec.copies[${index}]`, value: metadata.namespace, message }];
}

export const conversion: Conversion<User, UserV1beta1> = {
  toHub({ metadata, spec: { databaseRef, readOnly, namespaces }, status }) {
    const { [keptLogin]: login, ...annotations } = metadata.annotations ?? {};
    const access = readOnly === undefined ? undefined : readOnly ? "read" : "write";
    return {
      metadata: { ...metadata, annotations },
      spec: { database: databaseRef.name, access, copies: namespaces, login },
      status,
    };
  },
  fromHub({ metadata, spec: { database, access, copies, login }, status }) {
    const annotations = { ...metadata.annotations, ...(login !== undefined && { [keptLogin]: login }) };
    return {
      metadata: { ...metadata, annotations },
      spec: {
        databaseRef: { name: database },
        readOnly: access === undefined ? undefined : access === "read",
        namespaces: copies,
      },
      status,
    };
  },
};

export function setupWebhooks(manager: Manager): void {
  manager
    .webhookFor(User)
    .defaulter(defaulter)
    .validator(validator)
    .conversion(UserV1beta1, conversion)
    .complete();
}
