import { spawnSync } from 'node:child_process';
import { CHANGESETS, listChanges, listNotes, readRepository, ReleaseError, run } from './workspace.mjs';

const UNSET =
  'No repository is set: `"repository": "https://github.com/<owner>/<name>"` in the root package.json. ' +
  'Without it the packages have no repository, homepage, bugs or links, and npm refuses provenance.';

/** Returns the obstacles to a release, as sentences. */
export function findObstacles() {
  const changes = listChanges();
  const notes = listNotes();
  return [
    ...(readRepository() === null ? [UNSET] : []),
    ...(changes.length > 0 ? [`The work tree has ${changes.length} uncommitted changes.`] : []),
    ...(notes.length > 0 ? [`${notes.length} notes in .changeset have no version yet: run release --prepare.`] : []),
  ];
}

/** Publishes tarballs whose versions the registry lacks, each after its dependencies, and tags them. */
export function publishPackages(packages) {
  for (const { name, version, tarball } of packages) {
    const words = ['view', `${name}@${version}`, 'version'];
    const { status, stdout, stderr } = spawnSync('npm', words, { encoding: 'utf8' });
    // The registry answers 404 for an unknown package, and an empty text for an unknown version.
    if (status !== 0 && !stderr.includes('E404')) throw new ReleaseError(`The registry query failed:\n${stderr}`);
    const isPublished = status === 0 && stdout.trim() === version;
    if (!isPublished) run('npm', ['publish', tarball, '--access', 'public', '--provenance'], { stdio: 'inherit' });
    console.log(`- ${name}@${version} ${isPublished ? 'was already published' : 'published'}`);
  }
  run(process.execPath, [CHANGESETS, 'git-tag'], { stdio: 'inherit' });
}
