import { type Operation, type OperationName, operationNames, operations } from "../../protocol/operations.ts";

/** The method and path of an operation. */
export interface OperationRoute {
  name: OperationName;
  method: HttpMethod;
  path: string;
}
/** The methods of operations, in lower case. */
export type HttpMethod = (typeof methods)[number];

const methods = ["get", "post", "put", "delete"] as const;

/** The paths and methods of the operations that HTTP offers: the one reading of `http` in the table of operations. */
export const operationRoutes: readonly OperationRoute[] = operationNames.flatMap((name) =>
  routeOf(name, operations[name]),
);

function routeOf(name: OperationName, { http }: Operation): OperationRoute[] {
  const [verb, path] = http?.split(" ") ?? [];
  const method = methods.find((candidate) => candidate === verb?.toLowerCase());
  return method === undefined || path === undefined ? [] : [{ name, method, path }];
}
