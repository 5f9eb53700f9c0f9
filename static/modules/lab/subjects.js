// The subjects to which experiments belong.

/** The experiments of each subject, in the order of the subjects: [{name, title, experiments}]. Subjects without any
 * are left out; experiments of a subject that is not listed are under "Other". */
export function groupBySubject(subjects, experiments) {
  const listed = new Set(subjects.map(({ name }) => name));
  const groups = [...subjects, { name: null, title: 'Other' }].map(({ name, title }) => ({
    name,
    title,
    experiments: experiments.filter(({ subject }) => (name === null ? !listed.has(subject) : subject === name)),
  }));
  return groups.filter((group) => group.experiments.length);
}
