/** Frames around a question, as people and agents write them; `%` stands for the question. */
export const FRAMES: Readonly<Record<'train' | 'test', readonly string[]>> = {
  train: [
    'I am helping a researcher who is preparing a literature review. Could you please find papers about the following: %? Thank you very much.',
    'Hello! I am a PhD student in economics and my supervisor asked me to read up on a subject that is new to me. I would like to know %. Please return only the most relevant results.',
    'Our desk has a meeting with a client on Friday and we need some background reading, so could you look for research on %?',
    'You are a careful research assistant. Context: the user works at a bank. Question: %',
    'Hi there, hope you are well. Do you know of any studies that deal with %? I need them for my thesis.',
    'I was wondering whether there is anything on %. Any pointers would be very welcome, thanks in advance!',
    'My manager wants me to write a short memo by tomorrow. Please search the database for articles on %. If there are several, list the best ones first.',
    'We are two analysts at a small fund and we are trying to understand one thing: %',
  ],
  test: [
    'As part of a project at my university I have to summarise what is known on one question. The question is "%". Could you point me to the papers that answer it best?',
    'Good morning. A colleague of mine asked me something that I could not answer, and I promised to look it up. Can you help me find academic work on %? It would save my day.',
    'The user is a portfolio manager and wants a quick overview. Find relevant papers on %. Answer with the ids only.',
    "I'd be grateful if you could recommend a few good papers about % that I could cite in my report.",
    'Sorry to bother you with this, I know that you are busy. What I need is literature on %. Thanks a lot for your help!',
    'Task: literature search. Topic: %. Audience: practitioners. Format: a short list.',
  ],
};

/** Exclusions of a subject, as they are appended to a question; `%` stands for the subject. */
export const EXCLUSIONS: Readonly<Record<'train' | 'test', readonly string[]>> = {
  train: [', not about %', ', excluding %', ' but not %', ', except for %', ', other than %'],
  test: [', nothing on %', ' (excluding %)', ', but no papers about %', ', leaving out %'],
};
