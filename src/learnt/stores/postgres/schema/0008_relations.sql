-- 0008 relations: which memories an applied merge tied together.

