/** Whether a path is that of a test. Results of grep and list have no file kind. */
export function isTest(path: string): boolean {
  return testPath.test(path);
}

const testPath =
  /(?:^|[/_.-])(?:tests?|(?!(?:la|con|fas|grea|pro|at|new|old)test)[a-z]{2,12}test(?=\/)|__tests__|(?:mocks|t)(?=\/)|specs?|testdata|fixtures?|e2e)(?:[/_.-])|\/src\/\w*Test\/|\.feature$/i;

/** Whether a file is not a part of the project itself: a test, an example, a copy of another project. */
export function isAside(path: string): boolean {
  return (
    isTest(path) ||
    /(?:^|\/)(?:node_modules|vendor|deps|third[_-]?party|examples?|docs?|bench\w*|scripts?|site|\.[\w-]+|typings)\//.test(
      path,
    )
  );
}
